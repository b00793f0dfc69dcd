import type { Verdict } from '../citations/verdict.ts';
import { errorMessage } from '../shared/error-message.ts';
import type { ResolvedQuestion } from './resolve-documents.ts';
import { type EvaluatedAnswer, type ReadText, scoreAnswer } from './score-answer.ts';
import { type FoundChunk, scoreRetrieval } from './score-retrieval.ts';
import type { ScoredCase } from './scores.ts';

/** The system under evaluation. Methods throw the service's errors. */
export interface EvaluationTarget {
  search(question: string, signal: AbortSignal): Promise<readonly FoundChunk[]>;
  /** Absent when only the search is measured. */
  readonly answer?: (question: string, signal: AbortSignal) => Promise<EvaluatedAnswer>;
  readonly readText: ReadText;
}

/** A question with its results. */
export interface QuestionResult extends ScoredCase {
  readonly line: number;
  readonly isUnanswerable: boolean;
  /** Rank of the first expected hit; null when none was found or expected. */
  readonly rank: number | null;
  /** Titles of the top hits. */
  readonly found: readonly string[];
  readonly milliseconds: number;
  readonly answer?: {
    readonly text: string;
    readonly isRefused: boolean;
    readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  };
  /** Why the question could not be measured; it then has no scores. */
  readonly failure?: string;
}

export interface EvaluationOptions {
  readonly target: EvaluationTarget;
  /** Number of chunks requested. */
  readonly limit: number;
  /** Whether an error ends the whole evaluation instead of one question. */
  readonly isFatal: (error: unknown) => boolean;
}

const MAX_TITLES = 3;

/**
 * Evaluates one question. A failure of the service is recorded as a result, so that the other questions are still
 * asked.
 */
export async function evaluateQuestion(
  question: ResolvedQuestion,
  { target, limit, isFatal }: EvaluationOptions,
  signal: AbortSignal,
): Promise<QuestionResult> {
  const { id, line, text, isUnanswerable } = question;
  const base = { id, line, text, isUnanswerable };
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    const chunks = await target.search(text, signal);
    const retrievalScores = scoreRetrieval(question, chunks, limit);
    const found = [...new Set(chunks.map(({ title }) => title))].slice(0, MAX_TITLES);
    const given = await target.answer?.(text, signal);
    const answer = given && (await scoreAnswer(question, given, target.readText));
    return {
      ...base,
      scores: { ...retrievalScores?.scores, ...answer?.scores },
      rank: retrievalScores?.rank ?? null,
      found,
      milliseconds: elapsed(),
      ...(given && answer && { answer: { text: given.text, isRefused: answer.isRefused, verdicts: answer.verdicts } }),
    };
  } catch (error) {
    if (signal.aborted || isFatal(error)) throw error;
    const failure = errorMessage(error);
    return { ...base, scores: {}, rank: null, found: [], milliseconds: elapsed(), failure };
  }
}
