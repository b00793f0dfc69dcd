import type { Filter } from '../documents/filter.ts';
import type { Quote, Source, Span } from './citation.ts';
import type { Verdict } from './verdict.ts';

/** A source given with an answer: a chunk, a document, either of them by `id`, or a text; exactly one of these. */
export interface GivenSource {
  /** The N of its marker `[N]`; by default its position in the list, from 1. */
  readonly marker?: number | undefined;
  readonly id?: string | undefined;
  readonly chunkId?: string | undefined;
  readonly documentId?: string | undefined;
  readonly text?: string | undefined;
}

export interface AnswerCheckRequest {
  readonly answer: string;
  /** With neither sources nor documents, statements are checked against everything the caller may see. */
  readonly sources: readonly GivenSource[];
  /** Documents that may support any statement, regardless of markers. */
  readonly documentIds: readonly string[];
  /** Whether to search the rest of the corpus for statements that the sources do not support. */
  readonly searchesElsewhere: boolean;
  /** Check against the documents as of this time (ISO-8601, UTC). */
  readonly asOf?: string | undefined;
}

/** The passage that supports a statement, or the closest one. */
export interface Evidence {
  readonly quote: Quote;
  /** Marker of the given source it comes from. */
  readonly marker?: number;
  /** Absent for a given text that no document contains. */
  readonly documentId?: string;
  readonly chunkId?: string;
  readonly title: string;
  readonly source?: Source;
}

/** A statement of the answer with its verdict. `start` and `end` are offsets in the answer. */
export interface CheckedStatement extends Span {
  /** Without markers and markup. */
  readonly text: string;
  /** Verdict on each marker separately; `unknown` if no source has that number. */
  readonly citations: readonly { readonly marker: number; readonly verdict: Verdict | 'unknown' }[];
  /** Verdict on its best source; without markers, on the best source available. */
  readonly verdict: Verdict;
  /** Weighted share of the statement's words that the best one to three sentences of that source have, 0 to 1. */
  readonly score: number;
  /** For `not_found`, the closest passage if its score is high enough. */
  readonly evidence?: Evidence;
  /** Whether the evidence is about the same, but denies the statement or gives other numbers. */
  readonly isContradicted: boolean;
  /** Words of the statement that the evidence lacks. */
  readonly missing: readonly string[];
}

export interface AnswerCheck {
  readonly statements: readonly CheckedStatement[];
  /** Offset in the answer where the check stopped at a limit; absent when the whole answer was checked. */
  readonly uncheckedFrom?: number;
  /** Remarks for the caller, such as a marker without a source. */
  readonly notes: readonly string[];
}

/** Limits of one check. Larger requests are refused; statements beyond the number or time limit stay unchecked. */
export const checkLimits = {
  answer: 40_000,
  sources: 50,
  documents: 20,
  /** Characters of a single given text, and of all given texts together. */
  text: 20_000,
  texts: 200_000,
  statements: 150,
  milliseconds: 20_000,
} as const;

/** Compares answers with documents, deterministically and without a model. */
export interface AnswerChecker {
  /**
   * `visible` restricts reading and searching to content that the caller may see. Throws `invalid_request` above the
   * limits and `not_found` for a source that does not exist or is not visible.
   */
  check(request: AnswerCheckRequest, visible: Filter, signal: AbortSignal): Promise<AnswerCheck>;
}
