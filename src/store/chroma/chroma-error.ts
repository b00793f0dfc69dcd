/** Names of the errors of Chroma's client. Not all are those of their classes. */
type ChromaErrorName =
  | 'ChromaAuthError'
  | 'ChromaConnectionError'
  | 'ChromaForbiddenError'
  | 'ChromaNotFoundError'
  | 'ChromaQuotaExceededError'
  | 'ChromaRateLimitError'
  | 'ChromaServerError';

/**
 * Whether this is an error of Chroma's client with this name. The classes themselves are not compared, because loading
 * the client, and Node's `fetch` with it, takes a tenth of the time in which a service starts.
 */
export const isChromaError = (error: unknown, name: ChromaErrorName): error is Error =>
  error instanceof Error && error.name === name;
