import type { TextAnalyser } from './text-analyser.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.,-]*/gu;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const MIN_UNSPACED = 4;
const MIN_WORDS = 3;
// Two words with a full stop may be a sentence ("Bees dance."); without one they are a label.
const MIN_WORDS_OF_SENTENCE = 2;
const INLINE_CODE = /`[^`]*`/g;
const FULL_STOP = /[.!。！][\s"”’»*_]*$/;

/** What the writer says of themselves or asks of the reader: "I hope this helps." */
const REMARK = /^(?:I|I['’](?:m|ll|ve|d)|Let me|Please|Ich|Bitte)\s/u;

/** Whether a short sentence may state something: not a question, announcement, remark, salutation, label or table row. */
export function isShortClaim(sentence: string): boolean {
  const plain = sentence.replace(INLINE_CODE, ' ').trim();
  if (/[?:,;？：，；]$/.test(plain) || REMARK.test(plain) || plain.includes('|') || /^(\*\*|__)[^*_]+\1$/.test(plain))
    return false;
  if ((plain.match(WITHOUT_SPACES) ?? []).length >= MIN_UNSPACED) return true;
  return countWords(plain) >= (FULL_STOP.test(plain) ? MIN_WORDS_OF_SENTENCE : MIN_WORDS);
}

/** Whether a statement has words to look for: both of two words ("Bees dance.", not "Of course."). */
export function hasContent(statement: string, analyser: TextAnalyser): boolean {
  const isPair = countWords(statement) === MIN_WORDS_OF_SENTENCE;
  return analyser.analyseQuery(statement).length >= (isPair ? 2 : 1);
}

const countWords = (text: string): number => (text.match(WORD) ?? []).length;
