import { oneLine } from '../../shared/text.ts';
import type { Question } from './question.ts';
import { type RankedSentences, weighted } from './rank-sentences.ts';
import type { ReadSource } from './read-source.ts';
import { CONFIDENCE_WEIGHTS } from './weights.ts';

/** Features that predict whether the question is answered: of the best sentence, the other sources and the question. */
export interface AnswerFeatures {
  readonly bias: number;
  /** Score of the best sentence, its lead over the best of another source, and its share among all. */
  readonly best: number;
  readonly lead: number;
  readonly competition: number;
  /** Features of the best sentence. */
  readonly words: number;
  readonly near: number;
  readonly share: number;
  readonly missing: number;
  readonly kind: number;
  readonly lacksKind: number;
  readonly first: number;
  /** Maximum of `support` and `near` over all sentences. */
  readonly support: number;
  readonly mostNear: number;
  /** Lead of the best full-text score over the second, the fifth and the tenth, relative to it. */
  readonly leadOverSecond: number;
  readonly leadOverFifth: number;
  readonly leadOverTenth: number;
  /** Features of the question: number of terms, shares of character n-grams and trigrams, and kind of language. */
  readonly termCount: number;
  readonly ngramShare: number;
  readonly trigramShare: number;
  readonly inflected: number;
  readonly syllabic: number;
  /** One divided by the number of sources. */
  readonly few: number;
}

const MANY = 8;
const MAX_TERMS = 10;

/** Whether there are so few sources, as in a small corpus, that leads and the rarity of words are due to chance. */
export const isFew = (sources: number): boolean => sources < MANY;

export function answerFeatures(question: Question, { sources, candidates: all }: RankedSentences): AnswerFeatures {
  // Repetitions of a sentence, in overlapping passages or copies of a document, do not compete with it.
  const texts = new Set<string>();
  const candidates = all.filter(({ text }) => texts.size < texts.add(oneLine(text)).size);
  const [best] = candidates;
  const other = candidates.find(({ sourceIndex }) => sourceIndex !== best?.sourceIndex);
  const own = best?.features;
  const top = best?.score ?? 0;
  const scores = withoutCopies(sources)
    .flatMap(({ score }) => score ?? [])
    .toSorted((a, b) => b - a);
  const [max = 0] = scores;
  const leadOver = (place: number) => (max > 0 ? (max - (scores[Math.min(place, scores.length - 1)] ?? 0)) / max : 0);
  return {
    bias: 1,
    best: top,
    lead: other === undefined ? 0 : top - other.score,
    competition: Math.log(
      Math.max(
        1,
        candidates.reduce((sum, { score }) => sum + Math.exp(score - top), 0),
      ),
    ),
    words: own?.words ?? 0,
    near: own?.near ?? 0,
    share: own?.share ?? 0,
    missing: own?.missing ?? 0,
    kind: own?.kind ?? 0,
    lacksKind: best?.mayAnswer === false ? 1 : 0,
    first: best?.sourceIndex === 0 ? 1 : 0,
    support: candidates.reduce((max, { features }) => Math.max(max, features.support), 0),
    mostNear: candidates.reduce((max, { features }) => Math.max(max, features.near), 0),
    leadOverSecond: leadOver(1),
    leadOverFifth: leadOver(4),
    leadOverTenth: leadOver(9),
    termCount: Math.min(MAX_TERMS, question.terms.length),
    ngramShare: question.ngramShare,
    trigramShare: question.trigramShare,
    inflected: question.isInflected ? 1 : 0,
    syllabic: question.isSyllabic ? 1 : 0,
    few: 1 / Math.max(1, sources.length),
  };
}

/** Sources without duplicate texts: copies have the same score, so the best one would have no lead. */
function withoutCopies(sources: readonly ReadSource[]): readonly ReadSource[] {
  const texts = new Set<string>();
  return sources.filter(
    ({ sentences }) => texts.size < texts.add(oneLine(sentences.map(({ text }) => text).join(' '))).size,
  );
}

/** Name of the weights to use: few sources have their own, and web pages have no full-text scores. */
function weightsFor({ sources }: RankedSentences): keyof typeof CONFIDENCE_WEIGHTS {
  if (isFew(sources.length)) return 'few';
  return sources.filter(({ score }) => score !== undefined).length > 1 ? 'scored' : 'unscored';
}

/** Whether the best sentence probably answers, or is only the nearest one. */
export const isConfident = (question: Question, ranked: RankedSentences): boolean =>
  weighted(answerFeatures(question, ranked), CONFIDENCE_WEIGHTS[weightsFor(ranked)]) > 0;
