import { splitSentences } from '../documents/sentences.ts';

// Longer than any sentence, so that its start is included.
const MAX_LOOK_BACK = 1200;
const MARKER = /\[\d{1,3}\]/g;
// Shorter text between two markers ("and", ", in 1889") is not a statement of its own.
const MIN_CLAUSE_LENGTH = 16;

/** The statement that the marker at `position` refers to: the sentence before it, or its part since the previous marker. */
export function statementBefore(answer: string, position: number): string {
  const before = answer.slice(Math.max(0, position - MAX_LOOK_BACK), position).replace(/(?:\s*\[\d{1,3}\])+\s*$/, '');
  const last = splitSentences(before.replace(MARKER, (marker) => ' '.repeat(marker.length))).at(-1);
  if (last === undefined) return '';
  const sentence = before.slice(last.start, last.end);
  const clause = sentence.split(MARKER).at(-1)?.trim() ?? '';
  return clause.length >= MIN_CLAUSE_LENGTH ? clause : sentence.replace(MARKER, ' ').trim();
}
