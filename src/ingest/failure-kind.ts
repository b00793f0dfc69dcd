import { type ErrorCode, ServiceError } from '../errors.ts';
import { remedyFor } from '../models/provider-error.ts';
import { GoneMeanwhile } from '../store/gone-meanwhile.ts';

/** Whether trying again by itself can help, or only another file or another setting. */
type FailureKind = 'transient' | 'permanent';

/** Stores that are busy or away, and a corpus that moved to another embedder in the middle. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['store_failed', 'rate_limited', 'embedding_mismatch']);

function failureKind(error: unknown): FailureKind {
  if (remedyFor(error) === 'retry' || error instanceof ReaderEnded || error instanceof GoneMeanwhile) {
    return 'transient';
  }
  return error instanceof ServiceError && PASSING.has(error.code) ? 'transient' : 'permanent';
}

/** True of what is over by itself after a while. */
export const isPassing = (error: unknown): boolean => failureKind(error) === 'transient';

/** What read a document ended without an answer: by chance, or because of the document, which a further try tells. */
export class ReaderEnded extends ServiceError {
  constructor(fileName: string, how: string, options?: ErrorOptions) {
    super('invalid_request', `Reading ${fileName} failed: ${how}.`, options);
  }
}

export interface TryPolicy {
  /** The first one included. */
  readonly tries: number;
  /** The first one included, for what ended its reader. */
  readonly readerTries: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Together about four hours, so that a provider that is away for an afternoon costs no document. */
export const defaultTryPolicy: TryPolicy = {
  tries: 14,
  readerTries: 3,
  firstPauseMs: 5_000,
  longestPauseMs: 30 * 60_000,
};

/** Milliseconds until the next try; undefined when there is to be none. */
export function pauseBefore(
  error: unknown,
  {
    tries,
    policy,
    random = Math.random,
  }: { readonly tries: number; readonly policy: TryPolicy; readonly random?: () => number },
): number | undefined {
  const most = error instanceof ReaderEnded ? policy.readerTries : policy.tries;
  if (failureKind(error) === 'permanent' || tries >= most) return undefined;
  const longest = Math.min(policy.firstPauseMs * 2 ** (tries - 1), policy.longestPauseMs);
  const asked = error instanceof ServiceError && error.retryAfter !== undefined ? error.retryAfter * 1_000 : 0;
  // From half of it to all of it, so that what failed together does not come back together.
  return Math.min(policy.longestPauseMs, Math.max(asked, Math.round(longest * (0.5 + random() / 2))));
}
