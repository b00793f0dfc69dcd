import type { Filter } from '../documents/filter.ts';
import type { Verdict } from './check-citation.ts';
import type { Quote, Source, Span } from './citation.ts';

/** What an answer rests on: a passage of the corpus, a document of it, either of them by `id`, or a text; one of these. */
export interface GivenSource {
  /** The N of the marker `[N]` that stands for it; its place in the list, from 1, when absent. */
  readonly marker?: number | undefined;
  readonly id?: string | undefined;
  readonly chunkId?: string | undefined;
  readonly documentId?: string | undefined;
  readonly text?: string | undefined;
}

export interface AnswerCheckRequest {
  readonly answer: string;
  /** Without any, and without documents, each statement is looked for in all that the caller may see. */
  readonly sources: readonly GivenSource[];
  /** Documents that statements may rest on, whatever their markers say. */
  readonly documentIds: readonly string[];
  /** Whether what the sources do not say is looked for in the rest of the corpus too. */
  readonly searchesElsewhere: boolean;
  /** Check what the documents said at this time (ISO-8601, UTC). */
  readonly asOf?: string | undefined;
}

/** A passage that says what a statement says, or comes closest. */
export interface Evidence {
  readonly quote: Quote;
  /** Of the source it is from, when that was given. */
  readonly marker?: number;
  /** Absent for a given text that stands in no document. */
  readonly documentId?: string;
  readonly chunkId?: string;
  readonly title: string;
  readonly source?: Source;
}

/** A statement of the answer, and what is to be thought of it. `start` and `end` are its place in the answer. */
export interface CheckedStatement extends Span {
  /** Without markers and markup. */
  readonly text: string;
  /** What each of its markers is worth by itself; `unknown` where no source has that number. */
  readonly citations: readonly { readonly marker: number; readonly verdict: Verdict | 'unknown' }[];
  /** Of the best of its sources; without markers, of the best source there is. */
  readonly verdict: Verdict;
  /** Share of the statement's weight found there, 0 to 1. */
  readonly score: number;
  /** For `not_found` the closest passage, where one is near. */
  readonly evidence?: Evidence;
  /** Words of the statement that the evidence does not have. */
  readonly missing: readonly string[];
}

export interface AnswerCheck {
  readonly statements: readonly CheckedStatement[];
  /** Where in the answer the check stopped for its limits; absent when all of it was checked. */
  readonly uncheckedFrom?: number;
  /** Things the caller should know, e.g. that no source was given for a marker. */
  readonly notes: readonly string[];
}

/** Bounds of one check; more is refused, or for statements and time left unchecked and said so. */
export const checkLimits = {
  answer: 40_000,
  sources: 50,
  documents: 20,
  /** One given text, and all of them. */
  text: 20_000,
  texts: 200_000,
  statements: 150,
  milliseconds: 20_000,
} as const;

/** Compares answers with documents. No model takes part: the same answer and corpus give the same verdicts. */
export interface AnswerChecker {
  /**
   * `visible` limits what is read and searched to what the caller may see. Throws `invalid_request` past the limits and
   * `not_found` for a source that is not there, or not for this caller.
   */
  check(request: AnswerCheckRequest, visible: Filter, signal: AbortSignal): Promise<AnswerCheck>;
}
