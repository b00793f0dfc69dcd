import { ServiceError } from '../../errors.ts';
import { errorMessage } from '../../shared/error-message.ts';
import { IndexBusy } from '../vector-index.ts';
import { isChromaError } from './chroma-error.ts';

/** True when the requested collection does not exist. */
export const isMissing = (error: unknown): boolean => isChromaError(error, 'ChromaNotFoundError');

/** True when the server could not be reached or closed the connection. */
export const isConnectionFailure = (error: unknown): boolean => isChromaError(error, 'ChromaConnectionError');

/**
 * True for errors that may come from a damaged collection or from a temporary condition: a failing server, a lost
 * connection.
 */
export const mayBeDamage = (error: unknown): boolean =>
  isChromaError(error, 'ChromaServerError') || isChromaError(error, 'ChromaConnectionError');

const isDiskFailure = (error: Error): boolean => /disk|space/i.test(error.message);

/** True when the files of the HNSW graph reject a write, which is permanent. A full disk does not count. */
export const isWriteDamage = (error: unknown): boolean =>
  isChromaError(error, 'ChromaServerError') && /hnsw/i.test(error.message) && !isDiskFailure(error);

/** True for an error returned by a running server. A full disk does not count. */
export const isRefusal = (error: unknown): boolean =>
  isChromaError(error, 'ChromaServerError') && !isDiskFailure(error);

/** Converts a Chroma error to a ServiceError; `where` names the Chroma server. */
export function toServiceError(error: unknown, where: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const failed = (message: string, retryAfter?: number): ServiceError =>
    new ServiceError('store_failed', message, { cause: error, ...(retryAfter !== undefined && { retryAfter }) });

  if (isChromaError(error, 'ChromaConnectionError')) {
    return failed(`The vector index does not answer: no connection to ${where}. Check that it runs and CHROMA_URL.`, 5);
  }
  if (isChromaError(error, 'ChromaAuthError') || isChromaError(error, 'ChromaForbiddenError')) {
    return failed(
      `${where} refuses our requests. Check CHROMA_API_KEY or CHROMA_TOKEN, CHROMA_TENANT and CHROMA_DATABASE.`,
    );
  }
  if (isChromaError(error, 'ChromaRateLimitError')) {
    return new IndexBusy(`${where} is rate-limiting requests. Try again later.`, { cause: error, retryAfter: 10 });
  }
  if (isChromaError(error, 'ChromaQuotaExceededError')) {
    const reason = error.message.replace(/\.$/, '');
    return failed(`${where} refuses a call. ${reason}. Chroma raises quotas on request.`);
  }
  const reason = errorMessage(error);
  return failed(`The vector index failed: ${where} answered "${reason}".`);
}

/** A call that its caller has aborted. */
export const cancelled = (cause: unknown): ServiceError =>
  cause instanceof ServiceError && cause.code === 'cancelled'
    ? cause
    : new ServiceError('cancelled', 'The caller no longer waits for the vector index.', { cause });
