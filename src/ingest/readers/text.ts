import { ServiceError } from '../../errors.ts';
import { decodeText } from './decode-text.ts';
import type { Block, Reader } from './reader.ts';

/** Plain text: paragraphs at blank lines, and the few lines that are headings beyond doubt. */
export const textReader: Reader = {
  types: ['txt'],
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const { text } = decoded;
    return { text, blocks: paragraphsOf(text), pages: [], metadata: {} };
  },
};

/** Paragraphs of a plain text, set apart by blank lines. */
export function paragraphsOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const match of text.matchAll(/[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*/g)) {
    const start = match.index;
    const end = start + match[0].length;
    const heading = headingOf(match[0]);
    if (heading !== undefined) blocks.push({ kind: 'heading', start, end, ...heading });
    else blocks.push({ kind: isList(match[0]) ? 'list' : 'paragraph', start, end });
  }
  return blocks;
}

function headingOf(paragraph: string): { level: number; label: string } | undefined {
  const underlined = /^[ \t]*(\S[^\n]{0,100})\n[ \t]*(={3,}|-{3,})[ \t]*$/.exec(paragraph);
  if (underlined?.[1] !== undefined)
    return { level: underlined[2]?.startsWith('=') ? 1 : 2, label: underlined[1].trim() };
  const line = paragraph.trim();
  if (line.includes('\n') || line.length > 80 || /[.!?:;,]$/.test(line)) return undefined;
  const numbered = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{Lu}/u.exec(line)?.[1];
  if (numbered !== undefined) return { level: Math.min(6, numbered.split('.').length), label: line };
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  const isCapitals = letters >= 4 && /\p{Lu}/u.test(line) && line === line.toUpperCase() && letters > line.length / 2;
  return isCapitals || /^(?:chapter|part|appendix|section)\s+[\divxlc]+\b/i.test(line)
    ? { level: 1, label: line }
    : undefined;
}

const LIST_LINE = /^[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+\S/;

function isList(paragraph: string): boolean {
  const lines = paragraph.split('\n', 3);
  return lines.length > 1 && lines.every((line) => LIST_LINE.test(line));
}
