import { memberMessage } from './member-message.ts';

/** Error codes for programs. Only `http/failure.ts` maps them to HTTP status codes. */
export type ErrorCode =
  | 'invalid_request' // the request contradicts itself or cannot be carried out as written
  | 'invalid_field' // one member of the request fails its schema; see `issues`
  | 'unauthenticated'
  | 'token_expired' // the credentials were valid but have expired; refreshed ones will work
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'range_not_satisfiable' // the requested range begins after the end
  | 'unsupported_type'
  | 'rate_limited'
  | 'unknown_model' // no provider or model of that name
  | 'not_configured' // a required setting is missing; the message names the variable
  | 'embedding_mismatch' // the stored vectors come from another embedder; the message names both
  | 'provider_failed' // an external service answered with an error or not at all
  | 'store_failed' // Chroma or SQL could not do what was asked
  | 'timeout'
  | 'cancelled'
  | 'internal';

/** Why a file is not read, where programs distinguish it. */
export type UnreadKind =
  | 'picture' // no reader of pictures is configured
  | 'undecodable' // a broken picture, or one of a kind that no decoder reads
  | 'recording'; // no transcriber is configured

/** Who reads a message: someone who can change the settings of the server, or another user of it. */
export type Audience = 'administrator' | 'member';

/** One invalid field of a request, as in the `detail` of a 422 response (docs/contract.md 1.2). */
export interface FieldIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
}

export interface ServiceErrorOptions extends ErrorOptions {
  readonly issues?: readonly FieldIssue[];
  /** Seconds after which a retry can succeed. */
  readonly retryAfter?: number;
  /** Message for external callers, if `message` contains details of this machine. */
  readonly publicMessage?: string;
  /** Message for members, if the public one names accounts of the server, or needs other words without settings. */
  readonly memberMessage?: string;
  /** Value of the `WWW-Authenticate` header. */
  readonly challenge?: string;
  /** Set for some files of an `unsupported_type`, and for scanned ones. */
  readonly unread?: UnreadKind | undefined;
  /** The message without the options that skip the check that failed; set only if a request can skip it. */
  readonly failedCheck?: string | undefined;
}

/** The only error type across modules: a code for programs, a message for people (what, where, what to do). */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly issues: readonly FieldIssue[];
  readonly retryAfter: number | undefined;
  readonly challenge: string | undefined;
  readonly unread: UnreadKind | undefined;
  readonly failedCheck: string | undefined;
  /** Message for external callers; defaults to `message`. */
  readonly publicMessage: string;
  readonly #memberMessage: string | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.issues = options.issues ?? [];
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
    this.unread = options.unread;
    this.failedCheck = options.failedCheck;
    this.publicMessage = options.publicMessage ?? message;
    this.#memberMessage = options.memberMessage;
  }

  /** Message for callers who cannot change the settings of the server; by default, `publicMessage` without them. */
  get memberMessage(): string {
    return this.#memberMessage ?? memberMessage(this.publicMessage, this.code);
  }
}

/** What an external caller may read of an error. */
export const messageFor = (error: ServiceError, audience: Audience = 'administrator'): string =>
  audience === 'administrator' ? error.publicMessage : error.memberMessage;

/** What a reader may read of the stored reason of a failure. */
export const reasonFor = (reason: string, audience: Audience = 'administrator'): string =>
  audience === 'administrator' ? reason : memberMessage(reason);

/** Runs a function that depends on a setting, and prefixes the message of its ServiceError with the variable's name. */
export function namingSetting<T>(variable: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError('invalid_field', `${variable}: ${error.message}`, { cause: error });
  }
}
