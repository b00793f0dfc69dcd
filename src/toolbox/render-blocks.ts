import { type Chunk, documentTypeOf } from '../documents/chunk.ts';
import type { TextSpan } from '../documents/paragraphs.ts';
import { pagesOf } from '../documents/places.ts';
import { shortLine, wholeCharacterEnd } from '../shared/text.ts';
import { shortChunkId, shortDocumentId } from './short-id.ts';

// Labels are repeated above every chunk, so they are cut; the structured data has the full text.
const MAX_LABEL_TITLE = 60;
const MAX_LABEL_HEADING = 50;

/** Label line above a chunk, ending in its short identifier: `Title · page 4 · Terms > Payment · 1f0c9a2b:12`. */
function chunkLabel(chunk: Chunk, shown: string): string {
  const title = shortLine(titleOf(chunk), MAX_LABEL_TITLE);
  const parts = [title];
  const pages = pagesOf(chunk, documentTypeOf(chunk));
  if (pages !== undefined) parts.push(pages);
  const headings = innermost(chunk, title, shown);
  if (headings !== '') parts.push(headings);
  parts.push(shortChunkId(chunk));
  return parts.join(' · ');
}

/** The innermost heading, with its parent if short; omits what repeats the title or the first line shown. */
function innermost({ headingPath }: Chunk, title: string, shown: string): string {
  const [firstLine = ''] = shown.split('\n', 1);
  const shownLabels = [title, shortLine(firstLine.replace(/^#+\s+/, ''), MAX_LABEL_HEADING)];
  const headings = headingPath
    .map((heading) => shortLine(heading, MAX_LABEL_HEADING))
    .filter((each) => !shownLabels.includes(each));
  const last = headings.slice(-2).join(' > ');
  return last.length <= MAX_LABEL_HEADING ? last : (headings.at(-1) ?? '');
}

export function titleOf(chunk: Chunk): string {
  const title = chunk.metadata['title'];
  return typeof title === 'string' && title !== '' ? title : 'Untitled';
}

/** A block: a label line and a text; only the text may be cut. */
export interface Block {
  readonly label: string;
  readonly text: string;
  /** For an excerpt: whether text precedes and follows it, and how many characters are left out. */
  readonly omitted?: { readonly before: boolean; readonly after: boolean; readonly characters: number };
  /** Tells the model how to get the text after the first `shown` characters. */
  rest(shown: number): string;
}

export interface ShownBlock<Item> {
  readonly item: Item;
  readonly number: number;
  /** The block as shown to the model. */
  readonly block: string;
  /** The shown part of the item's text. */
  readonly text: string;
  /** Number of characters of the text that are not shown. */
  readonly missing: number;
}

export interface FitOptions<Item> {
  readonly maxCharacters: number;
  block(item: Item): Block;
  /** Assigns the source number; called only for items that are shown. */
  cite(item: Item): number;
}

const BLOCK_SEPARATOR = '\n\n';
// Length of `[1234] `.
const MARKER_LENGTH = 7;

/**
 * Renders as many whole items as fit and numbers them as they are shown. If the first item alone is too long, it is cut
 * with a note on how to get the rest. Items that do not fit get no number, so nothing unseen can be cited.
 */
export function renderFitting<Item>(
  items: readonly Item[],
  { maxCharacters, block, cite }: FitOptions<Item>,
): ShownBlock<Item>[] {
  const shown: ShownBlock<Item>[] = [];
  let available = maxCharacters;
  for (const item of items) {
    const { label, text, omitted, rest } = block(item);
    const needed = MARKER_LENGTH + label.length + 1 + text.length + BLOCK_SEPARATOR.length;
    if (needed > available && shown.length > 0) break;
    const number = cite(item);
    const heading = `[${number}] ${label}`;
    if (needed <= available) {
      const body = `${omitted?.before ? '… ' : ''}${text}${omitted?.after ? ' …' : ''}`;
      const missing = omitted?.characters ?? 0;
      shown.push({ item, number, block: text === '' ? heading : `${heading}\n${body}`, text, missing });
      available -= needed;
      continue;
    }
    const left = available - MARKER_LENGTH - label.length - 1 - rest(text.length).length - BLOCK_SEPARATOR.length;
    const end = wholeCharacterEnd(text, Math.max(1, left));
    const part = text.slice(0, end);
    shown.push({ item, number, block: `${heading}\n${part}\n${rest(end)}`, text: part, missing: text.length - end });
    break;
  }
  return shown;
}

export const joinBlocks = (shown: readonly ShownBlock<unknown>[]): string =>
  shown.map(({ block }) => block).join(BLOCK_SEPARATOR);

/** Block of a chunk or an excerpt of it; the cut part can be read with the document's text. */
export function chunkBlock(chunk: Chunk, excerpt?: TextSpan): Block {
  const { start, end } = excerpt ?? { start: 0, end: chunk.text.length };
  const text = chunk.text.slice(start, end);
  const characters = chunk.text.length - text.length;
  return {
    label: chunkLabel(chunk, text),
    text,
    ...(characters > 0 && { omitted: { before: start > 0, after: end < chunk.text.length, characters } }),
    rest: (shown) =>
      `(cut; the rest: get_file_content with document_id="${shortDocumentId(chunk.documentId)}", offset=${chunk.start + shown})`,
  };
}

/** Characters reserved for a tool's first and last lines. */
export const RESERVED_FOR_LINES = 330;
