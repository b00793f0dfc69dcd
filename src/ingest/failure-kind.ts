import type { FailureRemedy } from '../documents/document.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { ProviderError, remedyFor } from '../models/provider-error.ts';
import { DeletedConcurrently } from '../store/deleted-concurrently.ts';

/** `transient`: a retry can succeed. `permanent`: only another file or other settings can. */
type FailureKind = 'transient' | 'permanent';

/** Stores that are busy or unavailable, and a corpus that moved to another embedder meanwhile. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['store_failed', 'rate_limited', 'embedding_mismatch']);

function failureKind(error: unknown): FailureKind {
  if (remedyFor(error) === 'retry' || error instanceof ReaderEnded || error instanceof DeletedConcurrently) {
    return 'transient';
  }
  return error instanceof ServiceError && TRANSIENT.has(error.code) ? 'transient' : 'permanent';
}

/** True for errors that can go away without intervention. */
export const isTransient = (error: unknown): boolean => failureKind(error) === 'transient';

/** What helps after a failure that ended an ingestion. */
export function failureRemedy(error: unknown): FailureRemedy {
  // An unexpected error is a fault of the service, not of the file.
  if (isTransient(error) || !(error instanceof ServiceError)) return 'retry';
  if (error instanceof ProviderError || error.unread === 'picture' || error.unread === 'recording') return 'settings';
  return REMEDIES[error.code];
}

const REMEDIES: Readonly<Record<ErrorCode, FailureRemedy>> = {
  invalid_request: 'file',
  too_large: 'file',
  unsupported_type: 'file',
  range_not_satisfiable: 'file',
  not_found: 'file',
  invalid_field: 'settings',
  unauthenticated: 'settings',
  forbidden: 'settings',
  unknown_model: 'settings',
  not_configured: 'settings',
  token_expired: 'retry',
  conflict: 'retry',
  rate_limited: 'retry',
  embedding_mismatch: 'retry',
  provider_failed: 'retry',
  store_failed: 'retry',
  timeout: 'retry',
  cancelled: 'retry',
  internal: 'retry',
};

/** The reading process ended without a reply, by chance or because of the document; a retry shows which. */
export class ReaderEnded extends ServiceError {
  constructor(fileName: string, how: string, options?: ErrorOptions) {
    super('invalid_request', `Reading ${fileName} failed: ${how}.`, options);
  }
}

export interface TryPolicy {
  /** Maximum attempts, including the first one. */
  readonly tries: number;
  /** Maximum attempts, including the first one, when the document ended its reading process. */
  readonly readerTries: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

/** The pauses add up to about four hours, to outlast a provider's outage of an afternoon. */
export const defaultTryPolicy: TryPolicy = {
  tries: 14,
  readerTries: 3,
  firstPauseMs: 5_000,
  maxPauseMs: 30 * 60_000,
};

/** Milliseconds until the next attempt; undefined when there is none. */
export function pauseBefore(
  error: unknown,
  {
    tries,
    policy,
    random = Math.random,
  }: { readonly tries: number; readonly policy: TryPolicy; readonly random?: () => number },
): number | undefined {
  const max = error instanceof ReaderEnded ? policy.readerTries : policy.tries;
  if (failureKind(error) === 'permanent' || tries >= max) return undefined;
  const longest = Math.min(policy.firstPauseMs * 2 ** (tries - 1), policy.maxPauseMs);
  const retryAfterMs = error instanceof ServiceError && error.retryAfter !== undefined ? error.retryAfter * 1_000 : 0;
  // Jitter from half the pause to the full pause, so that tasks that failed together are not retried together.
  return Math.min(policy.maxPauseMs, Math.max(retryAfterMs, Math.round(longest * (0.5 + random() / 2))));
}
