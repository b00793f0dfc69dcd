import type { ScopeCondition } from '../../access-scope.ts';
import type { DistanceMeasure } from '../../chunk-search.ts';
import type { NearestPlan } from './nearest-chunks.ts';

/** Up to this many vectors, an exhaustive comparison is faster than the index. */
export const EXACT_SEARCH_LIMIT = 2_000;
/** A hit of the index costs as much as comparing this many vectors. */
const COMPARISONS_PER_HIT = 3;
/**
 * Maximum chunks of earlier versions that are compared in addition to the index; with more, everything is compared
 * exhaustively.
 */
export const MAX_PAST = 2_000;
/** Maximum pending chunks that are compared in addition to the index; with more the index counts as out of step. */
export const MAX_PENDING = 2_000;
/** The index takes as long for these hits as selecting by codes takes without the comparison of the codes. */
const HITS_PER_SELECTION = 800;
/** The index takes as long for a hit as comparing the codes of this many visible chunks takes. */
const CODES_PER_HIT = 1_000;
/** Candidates per requested hit, when the distance measure differs from the index's. */
const CANDIDATES_PER_HIT = 10;

/** How to obtain a list of hits from an index that evaluates no filters. */
export interface IndexRequest {
  /** Number of hits that fill the list. */
  readonly wanted: number;
  /** Number of vectors to request from the index; `mostRequested` is the highest number worth requesting. */
  readonly requested: number;
  readonly mostRequested: number;
  /** Conditions on access scopes that the index applies to its vectors. */
  readonly within: readonly ScopeCondition[];
  /** Whether selecting by the codes of the vectors is faster, if the records are on this machine. */
  readonly isSlow: boolean;
}

export interface IndexLimits {
  /** Most hits that the index returns. */
  readonly allowed: number;
  /** Conditions on access scopes that the filter implies; empty if the index does not store them. */
  readonly scopes: readonly ScopeCondition[];
  /** Up to this many hits, the index's ranking does not depend on their number; 0 if unknown. */
  readonly candidates: number;
}

/** A request for a list of this length. */
export interface ListRequest {
  readonly length: number;
  readonly request: IndexRequest;
}

/**
 * The request for a list from which all queries that differ only in their limit are answered; only for the hits that
 * are wanted if they are the first ones of that list in any case. Undefined like `indexRequest`.
 */
export function firstListRequest(
  plan: Pick<NearestPlan, 'visible' | 'matching' | 'past'>,
  { limit, length, measure }: { readonly limit: number; readonly length: number; readonly measure: DistanceMeasure },
  limits: IndexLimits,
): ListRequest | undefined {
  const whole = indexRequest(plan, { limit: length, measure }, limits);
  const isPartSame = whole !== undefined && limit < length && whole.requested <= limits.candidates;
  const part = isPartSame ? indexRequest(plan, { limit, measure }, limits) : undefined;
  return part ? { length: limit, request: part } : whole && { length, request: whole };
}

/** Undefined when an exhaustive comparison is faster, or necessary for an exact result. */
export function indexRequest(
  { visible, matching: all, past }: Pick<NearestPlan, 'visible' | 'matching' | 'past'>,
  { limit, measure }: { readonly limit: number; readonly measure: DistanceMeasure },
  { allowed, scopes }: IndexLimits,
): IndexRequest | undefined {
  const matching = all - past.length;
  if (matching <= EXACT_SEARCH_LIMIT || past.length > MAX_PAST) return undefined;
  const wanted = Math.min(limit, all);
  const candidates = measure === 'cosine_distance' ? wanted : wanted * CANDIDATES_PER_HIT;
  const among = (candidates * visible) / matching;
  // An index that stores the access scopes of chunks can leave out most of the chunks that do not pass.
  const within = withSlack(among) > allowed ? scopes : [];
  const expected = within.length > 0 ? candidates : among;
  const requested = Math.min(withSlack(expected), allowed);
  const mostRequested = Math.min(allowed, Math.max(EXACT_SEARCH_LIMIT, matching / COMPARISONS_PER_HIT));
  if (requested > mostRequested || expected > allowed) return undefined;
  const isDirect = measure === 'cosine_distance' && within.length === 0;
  const isSlow = isDirect && requested > HITS_PER_SELECTION + visible / CODES_PER_HIT;
  return { wanted, requested, mostRequested, within, isSlow };
}

/** Some hits may be of chunks that were deleted or do not pass. */
const withSlack = (expected: number): number => Math.ceil(expected * 1.25) + 10;
