import type { Chunk } from '../documents/chunk.ts';
import { pagesOf } from '../documents/places.ts';
import { shortChunkId, shortDocumentId } from './short-id.ts';

const MAX_TITLE_LENGTH = 120;
// A label is repeated above every passage, and what is cut of it stands in the data.
const MAX_LABEL_TITLE = 60;
const MAX_LABEL_HEADING = 50;

/** On one line and not too long: a title is data, and must not look like the next block. */
export function oneLine(text: string, longest: number = MAX_TITLE_LENGTH): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** `Title · p. 4 · Terms > Payment · 1f0c9a2b:12`: the line above a passage, ending in its short identifier. */
function passageLabel(chunk: Chunk): string {
  const title = oneLine(titleOf(chunk), MAX_LABEL_TITLE);
  const parts = [title];
  const pages = pagesOf(chunk);
  if (pages !== undefined) parts.push(`p. ${pages}`);
  const headings = innermost(chunk, title);
  if (headings !== '') parts.push(headings);
  parts.push(shortChunkId(chunk));
  return parts.join(' · ');
}

/** The heading the passage stands under, with the one above it while that is short; nothing that repeats the title. */
function innermost({ headingPath }: Chunk, title: string): string {
  const headings = headingPath.map((heading) => oneLine(heading, MAX_LABEL_HEADING)).filter((each) => each !== title);
  const last = headings.slice(-2).join(' > ');
  return last.length <= MAX_LABEL_HEADING ? last : (headings.at(-1) ?? '');
}

export function titleOf(chunk: Chunk): string {
  const title = chunk.metadata['title'];
  return typeof title === 'string' && title !== '' ? title : 'Untitled';
}

/** What a block is made of: a line that names the item, and its text, which alone may be cut. */
export interface Block {
  readonly label: string;
  readonly text: string;
  /** How to get what was cut off after so many characters. */
  rest(shown: number): string;
}

export interface ShownBlock<Item> {
  readonly item: Item;
  readonly number: number;
  /** The block as the model reads it. */
  readonly block: string;
  /** The item's text as far as it is shown. */
  readonly text: string;
  /** Characters of the text that are not shown. */
  readonly missing: number;
}

export interface Fitting<Item> {
  readonly most: number;
  block(item: Item): Block;
  /** Gives the number by which the item may be cited; called only for what is shown. */
  cite(item: Item): number;
}

const JOINT = '\n\n';
// Room for `[1234] `.
const MARKER_ROOM = 7;

/**
 * As many items as fit, whole, each numbered as it is shown; a first one that is too long by itself is cut and says how
 * to get the rest. What does not fit gets no number, so that nothing unseen can be cited.
 */
export function showFitting<Item>(items: readonly Item[], { most, block, cite }: Fitting<Item>): ShownBlock<Item>[] {
  const shown: ShownBlock<Item>[] = [];
  let room = most;
  for (const item of items) {
    const { label, text, rest } = block(item);
    const needed = MARKER_ROOM + label.length + 1 + text.length + JOINT.length;
    if (needed > room && shown.length > 0) break;
    const number = cite(item);
    const heading = `[${number}] ${label}`;
    if (needed <= room) {
      shown.push({ item, number, block: text === '' ? heading : `${heading}\n${text}`, text, missing: 0 });
      room -= needed;
      continue;
    }
    const left = room - MARKER_ROOM - label.length - 1 - rest(text.length).length - JOINT.length;
    const end = wholeCharacter(text, Math.max(1, left));
    const part = text.slice(0, end);
    shown.push({ item, number, block: `${heading}\n${part}\n${rest(end)}`, text: part, missing: text.length - end });
    break;
  }
  return shown;
}

export const joinBlocks = (shown: readonly ShownBlock<unknown>[]): string =>
  shown.map(({ block }) => block).join(JOINT);

/** A passage whose end, where it is cut, is had from the document's text. */
export const chunkBlock = (chunk: Chunk): Block => ({
  label: passageLabel(chunk),
  text: chunk.text,
  rest: (shown) =>
    `(cut; the rest: get_file_content with document_id="${shortDocumentId(chunk.documentId)}", offset=${chunk.start + shown})`,
});

/** The nearest place at or before `end` that does not cut a character in two. */
export function wholeCharacter(text: string, end: number): number {
  const place = Math.min(text.length, end);
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}

/** Room for a tool's first and last lines beside its blocks. */
export const LINES_ROOM = 330;
