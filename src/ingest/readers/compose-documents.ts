import { ServiceError } from '../../errors.ts';
import type { Block, ReadDocument } from './reader.ts';

export interface Composition {
  /** Adds a block after a blank line; empty ones are dropped. */
  add(kind: Block['kind'], text: string, level?: number): void;
  /** Adds a whole document, with its headings below a heading of `level`. */
  append(document: Pick<ReadDocument, 'text' | 'blocks'>, level: number): void;
  readonly length: number;
  finish(): { readonly text: string; readonly blocks: readonly Block[] };
}

const MAX_TEXT = 30_000_000;
const MAX_HEADING_LEVEL = 6;
const SEPARATOR = '\n\n';

/** Concatenates several documents into one text, each unchanged, and shifts the offsets of their blocks. */
export function composeDocuments(fileName: string): Composition {
  const parts: string[] = [];
  const blocks: Block[] = [];
  let length = 0;
  const appendText = (text: string): number => {
    if (length > 0) {
      parts.push(SEPARATOR);
      length += SEPARATOR.length;
    }
    const start = length;
    parts.push(text);
    length += text.length;
    if (length > MAX_TEXT) {
      throw new ServiceError(
        'too_large',
        `${fileName} holds more than ${MAX_TEXT} characters of text; split it first.`,
      );
    }
    return start;
  };
  return {
    add(kind, text, level) {
      const kept = text.trim();
      if (kept === '') return;
      const start = appendText(kept);
      const heading = level === undefined ? {} : { level: Math.min(MAX_HEADING_LEVEL, level) };
      blocks.push({ kind, start, end: start + kept.length, ...heading });
    },
    append({ text, blocks: inner }, level) {
      if (text.trim() === '') return;
      const shift = appendText(text);
      for (const block of inner) {
        const moved = { ...block, start: block.start + shift, end: block.end + shift };
        blocks.push(
          block.kind === 'heading'
            ? { ...moved, level: Math.min(MAX_HEADING_LEVEL, (block.level ?? 1) + level) }
            : moved,
        );
      }
    },
    get length() {
      return length;
    },
    finish: () => ({ text: parts.join(''), blocks }),
  };
}
