import { findVerbatim } from '../citations/find-verbatim.ts';
import { splitSentences } from '../documents/sentences.ts';

const WORD = /[\p{L}\p{M}\p{N}]/u;
/** Written without spaces, where a word has no edge that could be seen. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Whether a text holds these words as words: "308" does not stand in "13080". Case, white space and kinds of quotation marks do not count. */
export function holdsAnswer(text: string, wanted: string): boolean {
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

const MOST_OF_IT = 0.5;

/** Whether a passage holds an expected text, or the greater part of its sentences where it was split in between. */
export function holdsPassage(text: string, wanted: string): boolean {
  if (findVerbatim(text, wanted) !== undefined) return true;
  const sentences = splitSentences(wanted).map(({ start, end }) => wanted.slice(start, end));
  if (sentences.length < 2) return false;
  const length = (all: readonly string[]) => all.reduce((sum, sentence) => sum + sentence.length, 0);
  const held = sentences.filter((sentence) => findVerbatim(text, sentence) !== undefined);
  return length(held) >= MOST_OF_IT * length(sentences);
}
