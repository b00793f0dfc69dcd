/** Announced text, and the offset up to which it was announced. */
export interface Spoken {
  readonly text: string;
  readonly upTo: number;
}

// Sentence-ending punctuation, closing characters, citation markers, and the white space that follows.
const SENTENCE_END = /(?:[.!?…]["'”’)\]*_]*(?:\s*\[\d{1,3}\])*(?=\s)|[。！？]|\n{2,})/g;

/** Sentences completed since `from`; all remaining text when it is complete. */
export function nextSpoken(text: string, from: number, isComplete: boolean): Spoken {
  let upTo = from;
  if (isComplete) upTo = text.length;
  else {
    for (const match of text.slice(from).matchAll(SENTENCE_END)) {
      // The dot of a list number or a single-letter abbreviation ends no sentence.
      if (match[0].startsWith('.') && /(?:^|[\s(])(?:\d{1,3}|\p{L})$/u.test(text.slice(from, from + match.index)))
        continue;
      upTo = from + match.index + match[0].length;
    }
  }
  return { text: plain(text.slice(from, upTo)), upTo };
}

/** Without citation markers and Markdown syntax. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s*\[\d{1,3}\]/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:#{1,6}|[-*+>])\s+/gm, '')
    .replaceAll(/[*_`|]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
