import type { Span } from '../citations/citation.ts';
import { paragraphsOf } from '../documents/paragraphs.ts';
import { splitSentences } from '../documents/sentences.ts';
import { cutAtWords } from './cut-long.ts';
import type { Block } from './readers/reader.ts';

/**
 * The smallest parts a block should be cut into, each at most `maximum` long: the lines of a table or of code, the
 * items of a list, otherwise sentences.
 */
export function divideBlock(text: string, block: Block, maximum: number): Span[] {
  const parts = partsOf(text, block);
  return parts.flatMap((part) => {
    if (part.end - part.start <= maximum) return [part];
    const smaller = sentences(text, part);
    return smaller.flatMap((sentence) =>
      sentence.end - sentence.start <= maximum ? [sentence] : [...cutAtWords(text, sentence, maximum)],
    );
  });
}

function partsOf(text: string, block: Block): Span[] {
  switch (block.kind) {
    case 'paragraph':
    case 'quote':
    case 'heading':
      return sentences(text, block);
    case 'list':
      return [...paragraphsOf(text.slice(block.start, block.end))].map(({ start, end }) => ({
        start: block.start + start,
        end: block.start + end,
      }));
    case 'table':
    case 'code':
      return lines(text, block);
  }
}

const sentences = (text: string, { start, end }: Span): Span[] =>
  splitSentences(text.slice(start, end)).map((sentence) => ({
    start: start + sentence.start,
    end: start + sentence.end,
  }));

function lines(text: string, block: Block): Span[] {
  const found: Span[] = [];
  for (let { start } = block; start < block.end; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 || newline > block.end ? block.end : newline;
    if (text.slice(start, end).trim() !== '') found.push({ start, end });
    start = end + 1;
  }
  return found;
}
