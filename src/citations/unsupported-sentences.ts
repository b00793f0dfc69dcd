import { splitSentences } from '../documents/sentences.ts';
import type { CheckedCitation } from './check-citation.ts';
import { checkedProse } from './checked-prose.ts';
import type { Span } from './citation.ts';
import { supports } from './verdict.ts';

// Shorter sentences ("Yes.", "I hope this helps.") contain no verifiable claim, unless they have a figure or a name.
const MIN_LETTERS = 24;
const MIN_WORDS = 4;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS_PER_DENSE = 3;
const FIGURE_OR_NAME = /\p{N}|[\p{L}\p{N}] \p{Lu}\p{Ll}/u;

/** Sentences that make a claim, but have no marker inside or directly after them whose source supports it. */
export function unsupportedSentences(answer: string, citations: readonly CheckedCitation[]): Span[] {
  const markers = citations.flatMap((citation) => citation.checks);
  const supportedSpans = markers.filter((check) => supports(check.verdict)).map((check) => check.span);
  const prose = checkedProse(answer);
  const sentences = splitSentences(prose);
  return sentences
    .filter(({ start, end }, index) => {
      const next = sentences[index + 1]?.start ?? answer.length;
      const markersEnd = trailingMarkersEnd(answer, end, next);
      return (
        isStatement(prose.slice(start, end)) &&
        !supportedSpans.some((span) => span.start >= start && span.end <= markersEnd)
      );
    })
    .map(({ start, end }) => ({ start, end }));
}

/** End of the markers after the full stop; they belong to the sentence before: "It is so. [1]". */
function trailingMarkersEnd(answer: string, end: number, next: number): number {
  const trailing = /^(?:\s*\[\d{1,3}\])+/.exec(answer.slice(end, Math.max(end, next) + 32));
  return trailing === null ? end : end + trailing[0].length;
}

/** Whether a sentence makes a verifiable claim: not a question, heading, announcement or courtesy. */
export function isStatement(sentence: string): boolean {
  const plain = sentence.replaceAll(/\[\d{1,3}\]/g, '').trim();
  if (/[?:？：]$/.test(plain) || /^#{1,6}\s/.test(plain)) return false;
  if (lengthInLetters(plain) >= MIN_LETTERS) return true;
  return plain.split(/\s+/).length >= MIN_WORDS && FIGURE_OR_NAME.test(plain);
}

/** Letters and digits; a character of a script that writes several letters in one counts as so many. */
const lengthInLetters = (text: string): number =>
  (text.match(/[\p{L}\p{N}]/gu) ?? []).length + (LETTERS_PER_DENSE - 1) * (text.match(DENSE) ?? []).length;
