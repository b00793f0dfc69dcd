import { containsAnswer, containsPassage } from './contains-text.ts';
import { measureRanking } from './measure-ranking.ts';
import type { ResolvedQuestion } from './resolve-documents.ts';
import type { Scores } from './scores.ts';

export interface FoundChunk {
  readonly documentId: string;
  readonly title: string;
  readonly text: string;
}

export interface RetrievalScores {
  readonly scores: Scores;
  /** Rank of the first expected chunk, from 1; null when none was found. */
  readonly rank: number | null;
}

/** Minimum number of hits for which recall at 100 is meaningful. */
const MIN_DEPTH_FOR_RECALL = 100;

/**
 * Scores ranked hits by the most specific expectation given: texts in a chunk, or else documents, or else an answer
 * that a chunk contains. If documents are expected as well as texts, only chunks of these documents count. Undefined
 * for unanswerable questions.
 */
export function scoreRetrieval(
  question: ResolvedQuestion,
  found: readonly FoundChunk[],
  limit: number,
): RetrievalScores | undefined {
  if (question.isUnanswerable) return undefined;
  const targets = targetsOf(question);
  const ranked = found.map((chunk, index) => {
    const at = targets.findIndex((isTarget) => isTarget(chunk));
    if (at >= 0) return `target ${at}`;
    // When documents are expected, further chunks of a document do not take up ranks.
    return question.passages.length === 0 && question.expected.length > 0
      ? `document ${chunk.documentId}`
      : `chunk ${index}`;
  });
  const gains = new Map(targets.map((_, index) => [`target ${index}`, 1]));
  const { 'recall@100': deepRecall, ...scores } = measureRanking(ranked, gains);
  const first = [...new Set(ranked)].findIndex((name) => gains.has(name));
  return {
    scores: {
      ...scores,
      ...(limit >= MIN_DEPTH_FOR_RECALL && deepRecall !== undefined && { 'recall@100': deepRecall }),
    },
    rank: first < 0 ? null : first + 1,
  };
}

type Target = (chunk: FoundChunk) => boolean;

/** The expected items, each of which counts once. */
function targetsOf({ expected, passages, answers }: ResolvedQuestion): readonly Target[] {
  const isExpected: Target = ({ documentId }) => expected.length === 0 || expected.some((ids) => ids.has(documentId));
  if (passages.length > 0) {
    return passages.map((wanted) => (chunk) => isExpected(chunk) && containsPassage(chunk.text, wanted));
  }
  if (expected.length > 0) return expected.map((ids) => (chunk) => ids.has(chunk.documentId));
  return [(chunk) => answers.some((answer) => containsAnswer(chunk.text, answer))];
}
