import type { ScoredChunk } from '../documents/chunk.ts';
import { messageFor, ServiceError } from '../errors.ts';
import { isOutage } from './is-outage.ts';
import type { SearchLog } from './search-log.ts';
import type { SearchSettings } from './search-settings.ts';

/** A reranker (cross-encoder or model): scores a question and chunks together, more precisely than an index. */
export interface Reranker {
  /** Provider-qualified. */
  readonly name: string;
  /** Default number of chunks it reads. */
  readonly depth: number;
  /** Time limit, after which the search continues without it. */
  readonly timeoutMs: number;
  /** The indexes of the chunks it scored, with scores from 0 to 1; throws ServiceError on failure. */
  rank(request: RerankRequest, signal: AbortSignal): Promise<readonly RankedText[]>;
}

export interface RerankRequest {
  readonly query: string;
  readonly texts: readonly string[];
}

export interface RankedText {
  readonly index: number;
  readonly score: number;
}

interface Reranking {
  readonly reranker: Reranker;
  readonly query: string;
  readonly depth: number;
  readonly settings: Pick<SearchSettings, 'audience'>;
  readonly log: SearchLog;
  readonly signal: AbortSignal;
}

/** Maximum number of chunks that are reranked. */
const MAX_RERANKED = 1_000;

/**
 * Reorders the top hits by the reranker's scores. When it fails or exceeds its time limit, the order is unchanged and a
 * note is added.
 */
export async function rerank(found: readonly ScoredChunk[], reranking: Reranking): Promise<readonly ScoredChunk[]> {
  const { reranker, query, depth, settings, log, signal } = reranking;
  const head = found.slice(0, Math.min(depth, MAX_RERANKED));
  if (head.length < 2) return found;
  const texts = head.map(textOf);
  try {
    const ranked = await log.time('rerank', () => inTime(reranker, { query, texts }, signal));
    const hits = reorder(head, ranked);
    log.reranked({ name: reranker.name, depth: head.length });
    const min = hits.at(-1)?.score ?? 1;
    return [...hits, ...found.slice(head.length).map((hit) => ({ ...hit, score: Math.min(hit.score, min) }))];
  } catch (error) {
    if (signal.aborted || !isFailure(error)) throw error;
    log.note(
      `The reranker ${reranker.name} failed (${messageFor(error, settings.audience)}); the hits are in the order of the search.`,
    );
    return found;
  }
}

const textOf = ({ metadata, headingPath, text }: ScoredChunk): string => {
  const title = metadata['title'];
  const headings = new Set([...(typeof title === 'string' && title !== '' ? [title] : []), ...headingPath]);
  return [...headings, text].join('\n');
};

async function inTime(reranker: Reranker, request: RerankRequest, signal: AbortSignal) {
  const timeout = AbortSignal.timeout(reranker.timeoutMs);
  try {
    return await reranker.rank(request, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new ServiceError('timeout', `no answer within ${reranker.timeoutMs / 1_000} seconds`, { cause: error });
  }
}

// Unscored hits follow the scored ones, in their original order.
function reorder(head: readonly ScoredChunk[], ranked: readonly RankedText[]): ScoredChunk[] {
  const scores = new Map<number, number>();
  for (const { index, score } of ranked) if (!scores.has(index)) scores.set(index, score);
  const reranked = head.flatMap((hit, index) => {
    const score = scores.get(index);
    return score === undefined ? [] : [{ ...hit, score, rerank: { score, from: index + 1 } }];
  });
  reranked.sort((one, two) => two.score - one.score);
  const min = reranked.at(-1)?.score ?? Number.POSITIVE_INFINITY;
  const others = head.filter((_, index) => !scores.has(index));
  return [...reranked, ...others.map((hit) => ({ ...hit, score: Math.min(hit.score, min) }))];
}

/** A `cancelled` error counts as a failure if the reranker gave up on its own. */
const isFailure = (error: unknown): error is ServiceError =>
  isOutage(error) || (error instanceof ServiceError && error.code === 'cancelled');
