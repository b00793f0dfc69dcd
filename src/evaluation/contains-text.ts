import { findVerbatim } from '../citations/find-verbatim.ts';
import { splitSentences } from '../documents/sentences.ts';
import { UNSPACED } from '../shared/unspaced-scripts.ts';

const WORD = /[\p{L}\p{M}\p{N}]/u;

/**
 * Whether a text contains these words at word boundaries: "13080" does not contain "308". Case, white space and kinds
 * of quotation marks are ignored.
 */
export function containsAnswer(text: string, wanted: string): boolean {
  const isEdge = (outside: string, inside: string) =>
    !WORD.test(outside) || !WORD.test(inside) || UNSPACED.test(outside) || UNSPACED.test(inside);
  for (let from = 0; from < text.length; ) {
    const span = findVerbatim(text.slice(from), wanted);
    if (span === undefined) return false;
    const [start, end] = [from + span.start, from + span.end];
    const startsWord = isEdge(text.charAt(start - 1), text.charAt(start));
    if (startsWord && isEdge(text.charAt(end), text.charAt(end - 1))) return true;
    from = start + 1;
  }
  return false;
}

const MIN_SHARE_TO_MATCH = 0.5;

/** Whether a chunk contains an expected text, or most of its sentences if the text was split between chunks. */
export function containsPassage(text: string, wanted: string): boolean {
  if (findVerbatim(text, wanted) !== undefined) return true;
  const sentences = splitSentences(wanted).map(({ start, end }) => wanted.slice(start, end));
  if (sentences.length < 2) return false;
  const length = (all: readonly string[]) => all.reduce((sum, sentence) => sum + sentence.length, 0);
  const held = sentences.filter((sentence) => findVerbatim(text, sentence) !== undefined);
  return length(held) >= MIN_SHARE_TO_MATCH * length(sentences);
}
