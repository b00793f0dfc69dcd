import type { PageSpan } from '../../documents/document.ts';
import type { Block } from './reader.ts';

export interface TextBuilder {
  /** Adds a block after a blank line; empty ones are dropped. */
  add(kind: Block['kind'], text: string, heading?: { readonly level: number }): void;
  /** Starts a page; it contains everything up to the next call. */
  startPage(number: number): void;
  readonly length: number;
  finish(): { readonly text: string; readonly blocks: readonly Block[]; readonly pages: readonly PageSpan[] };
}

/** Builds the text of a document block by block and records the offsets of the blocks. */
export function createTextBuilder(): TextBuilder {
  const parts: string[] = [];
  const blocks: Block[] = [];
  const pageStarts: { number: number; start: number }[] = [];
  let length = 0;

  return {
    add(kind, text, heading) {
      const kept = kind === 'code' ? withoutBlankLines(text.trimEnd()) : text.trim();
      if (kept.trim() === '') return;
      if (length > 0) {
        parts.push('\n\n');
        length += 2;
      }
      const start = length;
      parts.push(kept);
      length += kept.length;
      blocks.push({ kind, start, end: length, ...heading });
    },
    startPage(number) {
      pageStarts.push({ number, start: length });
    },
    get length() {
      return length;
    },
    finish() {
      const pages = pageStarts.map(({ number, start }, index) => {
        const end = pageStarts[index + 1]?.start ?? length;
        // The blank line before a page's first block belongs to no page.
        return { number, start: start > 0 && end > start ? start + 2 : start, end };
      });
      return { text: parts.join(''), blocks, pages };
    },
  };
}

/** Without leading blank lines. A regular expression of them would overflow the stack where there are millions. */
const withoutBlankLines = (code: string): string =>
  code.slice(code.lastIndexOf('\n', Math.max(0, code.search(/[^ \t\n]/))) + 1);
