import type { ScoredChunk } from '../documents/chunk.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { SearchLog } from './search-log.ts';

/** Reads a question and passages together, which tells better than any index how well they fit. */
export interface Reranker {
  /** Provider-qualified. */
  readonly name: string;
  /** Passages it reads at once where nobody says how many. */
  readonly depth: number;
  /** After so long the search goes on without it. */
  readonly milliseconds: number;
  /** The places of the passages that were judged, with scores from 0 to 1; throws ServiceError when it cannot. */
  rank(request: RerankRequest, signal: AbortSignal): Promise<readonly RankedPassage[]>;
}

export interface RerankRequest {
  readonly query: string;
  readonly passages: readonly string[];
}

export interface RankedPassage {
  readonly index: number;
  readonly score: number;
}

interface Reranking {
  readonly reranker: Reranker;
  readonly query: string;
  readonly depth: number;
  readonly log: SearchLog;
  readonly signal: AbortSignal;
}

/** More is more than any of them takes at once. */
const MOST_RERANKED = 1_000;

/**
 * The same hits, the first of them in the reranker's order and with its scores. One that fails or takes too long
 * changes nothing but the notes.
 */
export async function rerank(found: readonly ScoredChunk[], reranking: Reranking): Promise<readonly ScoredChunk[]> {
  const { reranker, query, depth, log, signal } = reranking;
  const head = found.slice(0, Math.min(depth, MOST_RERANKED));
  if (head.length < 2) return found;
  const passages = head.map(passageOf);
  try {
    const ranked = await log.time('rerank', () => inTime(reranker, { query, passages }, signal));
    const hits = reorder(head, ranked);
    log.reranked({ name: reranker.name, depth: head.length });
    const least = hits.at(-1)?.score ?? 1;
    return [...hits, ...found.slice(head.length).map((hit) => ({ ...hit, score: Math.min(hit.score, least) }))];
  } catch (error) {
    if (signal.aborted || !isOutage(error)) throw error;
    log.note(`The reranker ${reranker.name} failed (${error.message}); the hits are in the order of the search.`);
    return found;
  }
}

const passageOf = ({ metadata, headingPath, text }: ScoredChunk): string => {
  const title = metadata['title'];
  const headings = new Set([...(typeof title === 'string' && title !== '' ? [title] : []), ...headingPath]);
  return [...headings, text].join('\n');
};

async function inTime(reranker: Reranker, request: RerankRequest, signal: AbortSignal) {
  const timeout = AbortSignal.timeout(reranker.milliseconds);
  try {
    return await reranker.rank(request, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new ServiceError('timeout', `no answer within ${reranker.milliseconds / 1_000} seconds`, { cause: error });
  }
}

// What was not judged follows what was, in its own order.
function reorder(head: readonly ScoredChunk[], ranked: readonly RankedPassage[]): ScoredChunk[] {
  const scores = new Map<number, number>();
  for (const { index, score } of ranked) if (!scores.has(index)) scores.set(index, score);
  const judged = head.flatMap((hit, index) => {
    const score = scores.get(index);
    return score === undefined ? [] : [{ ...hit, score, rerank: { score, from: index + 1 } }];
  });
  judged.sort((one, two) => two.score - one.score);
  const least = judged.at(-1)?.score ?? Number.POSITIVE_INFINITY;
  const others = head.filter((_, index) => !scores.has(index));
  return [...judged, ...others.map((hit) => ({ ...hit, score: Math.min(hit.score, least) }))];
}

const OUTAGES: readonly ErrorCode[] = ['provider_failed', 'rate_limited', 'timeout', 'not_configured', 'cancelled'];
const isOutage = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && OUTAGES.includes(error.code);
