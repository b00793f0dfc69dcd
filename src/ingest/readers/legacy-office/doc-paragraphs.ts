import { type DocPiece, textOfPiece } from './doc-pieces.ts';

export interface DocParagraph {
  readonly text: string;
  /** What its mark ends: a paragraph, a table cell, or a table row. */
  readonly end: 'paragraph' | 'cell' | 'row';
  readonly isInTable: boolean;
  /** 1 to 6, headings only. */
  readonly level: number | undefined;
}

interface Properties {
  readonly style: number;
  readonly isInTable: boolean;
  readonly isRowEnd: boolean;
}

/**
 * The header fields with the character counts of the stories, which follow each other in the text. Page headers and
 * comments are left out.
 */
const STORIES = [
  { at: 0x4c, isRead: true },
  { at: 0x50, isRead: true },
  { at: 0x54, isRead: false },
  { at: 0x58, isRead: false },
  { at: 0x5c, isRead: false },
  { at: 0x60, isRead: true },
  { at: 0x64, isRead: true },
  { at: 0x68, isRead: false },
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks are control characters; the bell ends a cell
const PARAGRAPH_MARK = /[\r\u0007\f]/g;

/** The paragraphs of the text, its notes and its text boxes. */
export function readDocParagraphs(main: Buffer, table: Buffer, pieces: readonly DocPiece[]): DocParagraph[] {
  const propertiesAt = readParagraphProperties(main, table);
  const isRead = readStories(main);
  const paragraphs: DocParagraph[] = [];
  let open = '';
  for (const piece of pieces) {
    const text = textOfPiece(main, piece);
    let start = 0;
    for (const mark of text.matchAll(PARAGRAPH_MARK)) {
      const position = piece.start + mark.index;
      open += text.slice(start, mark.index);
      start = mark.index + 1;
      if (isRead(position))
        paragraphs.push(toParagraph(open, mark[0], propertiesAt(piece.at + mark.index * piece.bytesPerCharacter)));
      open = '';
    }
    open += text.slice(start);
  }
  if (open !== '') paragraphs.push(toParagraph(open, '\r', undefined));
  return paragraphs;
}

function toParagraph(text: string, mark: string, properties: Properties | undefined): DocParagraph {
  const end = mark === '\u0007' ? (properties?.isRowEnd ? 'row' : 'cell') : 'paragraph';
  const style = properties?.style ?? 0;
  // The first nine styles after Normal are always the nine heading levels.
  const level = style >= 1 && style <= 9 ? Math.min(6, style) : undefined;
  return { text: withoutFields(text), end, isInTable: properties?.isInTable === true || end !== 'paragraph', level };
}

/** Keeps the result of a field, such as a page number or a link, and drops its code. */
function withoutFields(text: string): string {
  if (!text.includes('\u0013') && !text.includes('\u0015')) return text.replaceAll('\v', '\n');
  let kept = '';
  let depth = 0;
  let inCommand = 0;
  for (const character of text) {
    if (character === '\u0013') {
      depth++;
      inCommand++;
    } else if (character === '\u0014') inCommand = Math.max(0, inCommand - 1);
    else if (character === '\u0015') {
      depth = Math.max(0, depth - 1);
      inCommand = Math.min(inCommand, depth);
    } else if (inCommand === 0) kept += character;
  }
  return kept.replaceAll('\v', '\n');
}

function readStories(main: Buffer): (position: number) => boolean {
  let start = 0;
  const stories = STORIES.map(({ at, isRead }) => {
    const end = start + Math.max(0, main.readInt32LE(at));
    const story = { start, end, isRead };
    start = end;
    return story;
  });
  return (position) => stories.find((story) => position >= story.start && position < story.end)?.isRead ?? false;
}

const PAGE = 512;
const MAX_PAGES = 50_000;

/** Style and table position of the paragraph whose mark is at an offset of the main stream. */
function readParagraphProperties(main: Buffer, table: Buffer): (at: number) => Properties | undefined {
  const from = main.readUInt32LE(0x0102);
  const list = table.subarray(from, from + main.readUInt32LE(0x0106));
  const count = Math.min(MAX_PAGES, Math.max(0, Math.floor((list.length - 4) / 8)));
  const runs: { readonly end: number; readonly properties: Properties }[] = [];
  for (let index = 0; index < count; index++) {
    const number = list.readUInt32LE((count + 1) * 4 + index * 4) & 0x3fffff;
    const page = main.subarray(number * PAGE, (number + 1) * PAGE);
    if (page.length === PAGE) runs.push(...runsOf(page));
  }
  runs.sort((a, b) => a.end - b.end);
  return (at) => {
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((runs[middle]?.end ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return runs[low]?.properties;
  };
}

function runsOf(page: Buffer): { readonly end: number; readonly properties: Properties }[] {
  const count = Math.min(page[PAGE - 1] ?? 0, 29);
  return Array.from({ length: count }, (_, index) => {
    const end = page.readUInt32LE((index + 1) * 4);
    const offset = (page[(count + 1) * 4 + index * 13] ?? 0) * 2;
    return { end, properties: propertiesOf(page, offset) };
  });
}

const IN_TABLE = 0x2416;
const ROW_END = 0x2417;
/** Operand size by the upper three bits of the opcode; 0 means an explicit length follows. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3] as const;

function propertiesOf(page: Buffer, offset: number): Properties {
  if (offset === 0 || offset >= PAGE - 2) return { style: 0, isInTable: false, isRowEnd: false };
  const words = page[offset] ?? 0;
  const start = words === 0 ? offset + 2 : offset + 1;
  const end = Math.min(PAGE - 1, start + (words === 0 ? (page[offset + 1] ?? 0) * 2 : words * 2 - 1));
  if (start + 2 > end) return { style: 0, isInTable: false, isRowEnd: false };
  let isInTable = false;
  let isRowEnd = false;
  for (let at = start + 2; at + 2 < end; ) {
    const code = page.readUInt16LE(at);
    if (code === IN_TABLE) isInTable = page[at + 2] === 1;
    if (code === ROW_END) isRowEnd = page[at + 2] === 1;
    const size = OPERAND_BYTES[(code >> 13) as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7];
    at += 2 + (size === 0 ? 1 + (page[at + 2] ?? 0) : size);
  }
  return { style: page.readUInt16LE(start), isInTable, isRowEnd };
}
