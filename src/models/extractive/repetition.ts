import { containsNegation } from '../../citations/negation.ts';
import { numbersOf } from '../../citations/numbers.ts';
import type { Candidate } from './rank-sentences.ts';

type Sentence = Pick<Candidate, 'sourceIndex' | 'text' | 'terms'>;

/** Share of the terms of a sentence that occur in a quote of another source that says the same. */
const MIN_SHARED = 0.8;

/**
 * Whether the quoted sentences, which come from one source, say what the sentence says. Overlapping chunks and copies of
 * a document contain the same sentence. A sentence with another number, or with a negation where there was none, is no
 * repetition however many words it shares: documents that contradict each other use the same words.
 */
export function repeats(sentence: Sentence, quoted: readonly Sentence[]): boolean {
  const terms = new Set(quoted.flatMap((each) => [...each.terms]));
  const shared = sentence.terms.intersection(terms).size;
  const isSameSource = quoted.some(({ sourceIndex }) => sourceIndex === sentence.sourceIndex);
  const isSimilar = shared >= sentence.terms.size || (!isSameSource && shared > MIN_SHARED * sentence.terms.size);
  return isSimilar && !mayContradict(sentence, quoted);
}

function mayContradict({ text }: Sentence, quoted: readonly Sentence[]): boolean {
  const numbers = figuresOf(quoted.map((each) => each.text).join('\n'));
  if ([...figuresOf(text)].some((number) => !numbers.has(number))) return true;
  return !quoted.some((each) => containsNegation(each.text) === containsNegation(text));
}

const figuresOf = (text: string): ReadonlySet<string> =>
  new Set([...numbersOf(text), ...(text.match(HAN_NUMBER) ?? [])]);

const HAN_NUMBER = /[〇零一二三四五六七八九十百千万萬亿億]+/gu;
