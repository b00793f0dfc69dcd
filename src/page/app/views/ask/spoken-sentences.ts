/** What a screen reader is told of a text that is being written, and up to where that was. */
export interface Spoken {
  readonly text: string;
  readonly upTo: number;
}

// A sign that ends a sentence, what closes after it, its markers, and the space that shows that it has ended.
const SENTENCE_END = /(?:[.!?…]["'”’)\]*_]*(?:\s*\[\d{1,3}\])*(?=\s)|[。！？]|\n{2,})/g;

/** The sentences that have been completed since `from`; everything that is left when the text has ended. */
export function nextSpoken(text: string, from: number, isComplete: boolean): Spoken {
  let upTo = from;
  if (isComplete) upTo = text.length;
  else {
    for (const match of text.slice(from).matchAll(SENTENCE_END)) {
      // The dot of a list's number or of an abbreviation's single letter ends nothing.
      if (match[0].startsWith('.') && /(?:^|[\s(])(?:\d{1,3}|\p{L})$/u.test(text.slice(from, from + match.index)))
        continue;
      upTo = from + match.index + match[0].length;
    }
  }
  return { text: plain(text.slice(from, upTo)), upTo };
}

/** Without markers and the signs of Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s*\[\d{1,3}\]/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:#{1,6}|[-*+>])\s+/gm, '')
    .replaceAll(/[*_`|]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
