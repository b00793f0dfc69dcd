import { holdsAnswer, holdsPassage } from './holds-text.ts';
import { measureRanking } from './measure-ranking.ts';
import type { ResolvedQuestion } from './resolve-documents.ts';
import type { Scores } from './scores.ts';

export interface FoundPassage {
  readonly documentId: string;
  readonly title: string;
  readonly text: string;
}

export interface PassageJudgement {
  readonly scores: Scores;
  /** Place of the first passage that was expected, from 1; null when none was found. */
  readonly rank: number | null;
}

/** From so many passages on, recall at 100 says something. */
const DEEP = 100;

/**
 * Judges what a search found, best first, by the most exact of what is expected: texts in a passage, else documents, else
 * an answer that a passage holds. Where documents are expected too, only their passages count. Undefined for questions
 * that nothing answers.
 */
export function judgePassages(
  question: ResolvedQuestion,
  found: readonly FoundPassage[],
  limit: number,
): PassageJudgement | undefined {
  if (question.isUnanswerable) return undefined;
  const targets = targetsOf(question);
  const ranked = found.map((passage, index) => {
    const at = targets.findIndex((isIt) => isIt(passage));
    if (at >= 0) return `target ${at}`;
    // Further passages of a document take no place of their own where documents are looked for.
    return question.passages.length === 0 && question.expected.length > 0
      ? `document ${passage.documentId}`
      : `passage ${index}`;
  });
  const gains = new Map(targets.map((_, index) => [`target ${index}`, 1]));
  const { 'recall@100': deepRecall, ...scores } = measureRanking(ranked, gains);
  const first = [...new Set(ranked)].findIndex((name) => gains.has(name));
  return {
    scores: { ...scores, ...(limit >= DEEP && deepRecall !== undefined && { 'recall@100': deepRecall }) },
    rank: first < 0 ? null : first + 1,
  };
}

type Target = (passage: FoundPassage) => boolean;

/** Each is to be found once. */
function targetsOf({ expected, passages, answers }: ResolvedQuestion): readonly Target[] {
  const isExpected: Target = ({ documentId }) => expected.length === 0 || expected.some((ids) => ids.has(documentId));
  if (passages.length > 0) {
    return passages.map((wanted) => (passage) => isExpected(passage) && holdsPassage(passage.text, wanted));
  }
  if (expected.length > 0) return expected.map((ids) => (passage) => ids.has(passage.documentId));
  return [(passage) => answers.some((answer) => holdsAnswer(passage.text, answer))];
}
