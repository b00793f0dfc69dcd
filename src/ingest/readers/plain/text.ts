import { ServiceError } from '../../../errors.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Block, Reader } from '../reader.ts';

/** Plain text: paragraphs at blank lines, and lines that are certainly headings. */
export const textReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const { text } = decoded;
    return { text, blocks: paragraphsOf(text), pages: [], metadata: {} };
  },
};

/** Paragraphs of a plain text, separated by blank lines. */
export function paragraphsOf(text: string): Block[] {
  const spans = [...paragraphSpans(text)];
  return spans.map(({ start, end }, index): Block => {
    const next = spans[index + 1];
    const heading =
      headingOf(text.slice(start, end)) ?? namelessHeading(text.slice(start, end), next && next.end - next.start);
    if (heading !== undefined) return { kind: 'heading', start, end, ...heading };
    return { kind: isList(text.slice(start, end)) ? 'list' : 'paragraph', start, end };
  });
}

function* paragraphSpans(text: string): Generator<{ start: number; end: number }> {
  let start = -1;
  let end = 0;
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const to = newline === -1 ? text.length : newline;
    const line = text.slice(from, to);
    if (line.trim() !== '') {
      if (start === -1) start = from;
      end = to;
    } else if (start !== -1) {
      yield { start, end };
      start = -1;
    }
    from = to + 1;
  }
  if (start !== -1) yield { start, end };
}

interface Heading {
  readonly level: number;
  readonly label: string;
}

function headingOf(paragraph: string): Heading | undefined {
  if (paragraph.length > 300) return undefined;
  const underlined = /^[ \t]*(\S[^\n]{0,100})\n[ \t]*(={3,}|-{3,})[ \t]*$/.exec(paragraph);
  if (underlined?.[1] !== undefined) {
    return { level: underlined[2]?.startsWith('=') ? 1 : 2, label: underlined[1].trim() };
  }
  const line = paragraph.trim();
  if (line.includes('\n') || line.length > 80 || /[.!?:;,]$/.test(line)) return undefined;
  const numbered = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{Lu}/u.exec(line)?.[1];
  if (numbered !== undefined) return { level: Math.min(6, numbered.split('.').length), label: line };
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  const isCapitals = letters >= 4 && /\p{Lu}/u.test(line) && line === line.toUpperCase() && letters > line.length / 2;
  const isChapter = /^(?:chapter|part|appendix|section)\s+[\divxlc]+\b/i.test(line);
  return isCapitals || isChapter ? { level: 1, label: line } : undefined;
}

/** A short separate line without sentence punctuation, above a real paragraph. */
function namelessHeading(paragraph: string, lengthOfNext: number | undefined): Heading | undefined {
  const isShort = paragraph.length <= 60 && !paragraph.includes('\n') && (lengthOfNext ?? 0) >= 150;
  return isShort && /^\p{Lu}[^|\t]*[\p{L}\p{N})?]$/u.test(paragraph.trim())
    ? { level: 2, label: paragraph.trim() }
    : undefined;
}

const LIST_LINE = /^[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+\S/;

function isList(paragraph: string): boolean {
  const lines = paragraph.split('\n', 3);
  return lines.length > 1 && lines.every((line) => LIST_LINE.test(line));
}
