import { ServiceError } from '../../errors.ts';
import { createTextBuilder } from './build-text.ts';
import { decodeText } from './encoding/decode-text.ts';
import type { Reader } from './reader.ts';

const TIMES = /^\s*(\d{1,3}:)?(\d{2}):(\d{2})[.,]\d{1,3}\s+-->\s/;
/** Each minute is a section with its time as the heading. */
const SECTION_SECONDS = 60;

/** Subtitles (SubRip, WebVTT): the spoken text under its time. */
export const subtitlesReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const sections = new Map<number, { seconds: number; lines: string[] }>();
    for (const { seconds, text } of cuesOf(decoded.text)) {
      const minute = Math.floor(seconds / SECTION_SECONDS);
      const section = sections.get(minute) ?? { seconds, lines: [] };
      // Rolling subtitles repeat the previous line.
      if (section.lines.at(-1) !== text) section.lines.push(text);
      sections.set(minute, section);
    }
    const builder = createTextBuilder();
    for (const { seconds, lines } of sections.values()) {
      builder.add('heading', timeOf(seconds), { level: 2 });
      builder.add('paragraph', lines.join('\n'));
    }
    return { ...builder.finish(), metadata: {} };
  },
};

function* cuesOf(text: string): Generator<{ readonly seconds: number; readonly text: string }> {
  for (const cue of text.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = cue.split(/\r?\n/);
    const at = lines.findIndex((line) => TIMES.test(line));
    const [, hours = '0', minutes, seconds] = TIMES.exec(lines[at] ?? '') ?? [];
    // Headers, styles and notes have no time.
    if (minutes === undefined) continue;
    const spoken = lines
      .slice(at + 1)
      .map((line) => plain(line))
      .filter((line) => line !== '')
      .join(' ');
    const start = Number.parseInt(hours, 10) * 3_600 + Number(minutes) * 60 + Number(seconds);
    if (spoken !== '') yield { seconds: start, text: spoken };
  }
}

/** Removes markup but keeps speaker names. No tag contains the beginning of another one, so that the time is linear. */
const plain = (line: string): string =>
  line
    .replaceAll(/<v(?:\.[^\s<>]*)?\s([^<>]*)>/g, (_, speaker: string) => `${speaker.trim()}: `)
    .replaceAll(/<[^<>]*>|\{\\[^{}]*\}/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
    .trim();

const timeOf = (seconds: number): string =>
  [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
