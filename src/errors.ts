/** What went wrong, for programs. What a code means as an HTTP status is known only to `http/failure.ts`. */
export type ErrorCode =
  | 'invalid_request' // the request contradicts itself or cannot be carried out as written
  | 'invalid_field' // one member of the request fails its schema; see `issues`
  | 'unauthenticated'
  | 'token_expired' // the credentials were good; new ones of the same kind will be
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'range_not_satisfiable' // the part that was asked for begins after the end
  | 'unsupported_type'
  | 'rate_limited'
  | 'unknown_model' // no provider or model of that name
  | 'not_configured' // needs a setting that is absent; the message names the variable
  | 'embedding_mismatch' // the stored vectors belong to another embedder; the message names both
  | 'provider_failed' // an outside service answered with an error or not at all
  | 'store_failed' // Chroma or SQL could not do what was asked
  | 'timeout'
  | 'cancelled'
  | 'internal';

/** One member of a request that does not fit, in the form of the contract's 422 `detail` (docs/contract.md 1.2). */
export interface FieldIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
}

export interface ServiceErrorOptions extends ErrorOptions {
  readonly issues?: readonly FieldIssue[];
  /** Seconds after which trying again can help. */
  readonly retryAfter?: number;
  /** What callers from outside read instead, where the message names things of this machine. */
  readonly publicMessage?: string;
  /** What credentials would do, as the `WWW-Authenticate` header says it. */
  readonly challenge?: string;
}

/** The one kind of error that crosses rooms: a code for programs and a sentence for people (what, where, what now). */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly issues: readonly FieldIssue[];
  readonly retryAfter: number | undefined;
  readonly challenge: string | undefined;
  /** What callers from outside read; the message unless told otherwise. */
  readonly publicMessage: string;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.issues = options.issues ?? [];
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
    this.publicMessage = options.publicMessage ?? message;
  }
}

/** Runs something that depends on a setting; its failure names the setting. */
export function namingSetting<T>(variable: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError('invalid_field', `${variable}: ${error.message}`, { cause: error });
  }
}
