import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../errors.ts';
import { type Failure, networkCode, readFailure } from './read-failure.ts';

/** What may help after a failure: the same request again, another provider, or neither. */
export type Remedy = 'retry' | 'other_provider' | 'none';

/** Failure of a provider, with our own message. The provider's error is in `cause`, for the log. */
export class ProviderError extends ServiceError {
  readonly remedy: Remedy;
  /** True when the request exceeds the context window. */
  readonly isTooLong: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    remedy: Remedy,
    options: ServiceErrorOptions & { readonly isTooLong?: boolean } = {},
  ) {
    super(code, message, options);
    this.remedy = remedy;
    this.isTooLong = options.isTooLong ?? false;
  }
}

/** Thrown by adapters when a stream ends without its final event. `isEmpty` if it had no event at all. */
export class StreamTruncated extends Error {
  override readonly name = 'StreamTruncated';
  readonly isEmpty: boolean;

  constructor({ isEmpty = false } = {}) {
    super();
    this.isEmpty = isEmpty;
  }
}

export const remedyFor = (error: unknown): Remedy => (error instanceof ProviderError ? error.remedy : 'none');

/** Names of a provider and its settings, for messages. */
export interface ProviderIdentity {
  /** Prefix of its models: `openai`. */
  readonly name: string;
  /** Display name: `OpenAI`. */
  readonly label: string;
  /** Address for messages; contains no credentials. */
  readonly address: string;
  /** Environment variable of its key, and whether it is set. */
  readonly keyVariable: string;
  readonly hasKey: boolean;
  /** Environment variable of its address. */
  readonly addressVariable: string;
}

export interface FailedCall {
  readonly provider: ProviderIdentity;
  /** Without the provider's prefix. */
  readonly model: string;
  /** The caller's signal; failures after it was aborted are cancellations. */
  readonly signal: AbortSignal;
}

/** Converts an SDK error to a ServiceError that says which provider failed and what to do. */
export function toProviderError(error: unknown, call: FailedCall): ServiceError {
  if (error instanceof ServiceError) return error;
  if (call.signal.aborted) return new ServiceError('cancelled', 'The request was cancelled.', { cause: error });
  const failure = readFailure(error);
  const { code, message, remedy, ...options } =
    error instanceof StreamTruncated || error instanceof SyntaxError || failure === undefined
      ? withoutStatus(error, call)
      : withStatus(failure, call);
  return new ProviderError(code, message, remedy, { cause: error, ...options });
}

interface Verdict extends Pick<ServiceErrorOptions, 'retryAfter' | 'memberMessage'> {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: Remedy;
  readonly isTooLong?: boolean;
}

const TRY_OR_TELL = 'Try again later; if it still fails, tell the administrator of this server.';

/** Codes of connections that existed; those that could not be made have others. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The answer broke off, was unreadable, or there was none. */
function withoutStatus(error: unknown, { provider: { label, address, addressVariable } }: FailedCall): Verdict {
  const failed = (message: string, memberMessage = message): Verdict => ({
    code: 'provider_failed',
    message,
    memberMessage,
    remedy: 'retry',
  });
  // A web page, for example at an address without "/v1", is an empty stream for the SDKs.
  if (error instanceof StreamTruncated && error.isEmpty)
    return failed(
      `${label} sent no answer. Check that ${addressVariable} is the address of its API: ${address}`,
      `${label} sent no answer. ${TRY_OR_TELL}`,
    );
  if (error instanceof StreamTruncated) return failed(`${label} broke off its answer.`);
  if (error instanceof SyntaxError) {
    const problem = `${label} sent a response in an unexpected format.`;
    return failed(`${problem} Check ${addressVariable}.`, `${problem} ${TRY_OR_TELL}`);
  }
  const reason = networkCode(error);
  if (reason !== undefined && CLOSED.has(reason)) {
    return failed(
      `${label} broke off the connection before its answer was complete (${reason}) at ${address}. Try again.`,
      `${label} broke off the connection before its answer was complete. Try again.`,
    );
  }
  const problem = reason === undefined ? 'could not be reached, or broke off,' : `could not be reached (${reason})`;
  return failed(
    `${label} ${problem} at ${address}. Check the network and ${addressVariable}.`,
    `${label} could not be reached, or broke off. ${TRY_OR_TELL}`,
  );
}

function withStatus(failure: Failure, { provider, model }: FailedCall): Verdict {
  const { label, keyVariable } = provider;
  const { status, detail } = failure;
  const shown = detail === undefined ? `${status}` : `${status} ${detail}`;
  const wait = failure.retryAfter !== undefined && { retryAfter: failure.retryAfter };
  // What the account or the key may not do concerns the administrator only.
  const elsewhere = (message: string): Verdict => ({
    code: 'provider_failed',
    message,
    memberMessage: `${label} does not serve the requests of this server. ${TRY_OR_TELL}`,
    remedy: 'other_provider',
  });
  if (failure.isTooLong) {
    const message = `The request is longer than ${label}'s model "${model}" can read (${shown}). Send less text or ask for fewer search results.`;
    return { code: 'invalid_request', message, remedy: 'none', isTooLong: true };
  }
  if (status === 402 || failure.isOutOfCredit)
    return elsewhere(`The account at ${label} has no credit left (${shown}).`);
  switch (status) {
    case 401:
      return elsewhere(
        provider.hasKey
          ? `${label} refused the key in ${keyVariable} (${shown}). Check that it is complete and still valid.`
          : `${label} asks for a key (${shown}). Set ${keyVariable}.`,
      );
    case 403:
      return elsewhere(
        `${label} does not allow this with the key in ${keyVariable} (${shown}): the model or the region is not enabled for it.`,
      );
    case 404:
      if (!failure.isStructured) {
        return elsewhere(`No model API was found at ${provider.address} (404). Check ${provider.addressVariable}.`);
      }
      return {
        code: 'unknown_model',
        message: `${label} has no model named "${model}", or the key in ${keyVariable} may not use it (${shown}).`,
        memberMessage: `${label} has no model named "${model}", or this server may not use it.`,
        remedy: 'none',
      };
    case 429: {
      const again = `Try again ${whenAgain(failure.retryAfter)}`;
      return {
        code: 'rate_limited',
        message: `${label} takes no more requests for now (${shown}). ${again}, or ask for a higher limit there.`,
        memberMessage: `${label} takes no more requests for now. ${again}.`,
        remedy: 'retry',
        ...wait,
      };
    }
    case 408:
      return {
        code: 'timeout',
        message: `${label} gave up waiting (${shown}).`,
        memberMessage: `${label} gave up waiting. Try again.`,
        remedy: 'retry',
        ...wait,
      };
    case 400:
    case 413:
    case 422:
      return {
        code: 'invalid_request',
        message: `${label} refused the request for model "${model}" as invalid (${shown})${reasonOf(failure.message)}. Check the generation settings against what the model takes.`,
        remedy: 'none',
      };
    default: {
      if (status < 500 && status !== 409) return elsewhere(`${label} refused the request (${shown}).`);
      const failed = (how: string) =>
        `${label} failed${how}; the fault is on its side. Try again ${whenAgain(failure.retryAfter)}.`;
      const [message, memberMessage] = [failed(` with ${shown}`), failed('')];
      return { code: 'provider_failed', message, memberMessage, remedy: 'retry', ...wait };
    }
  }
}

/** "in 40 seconds", "in 5 minutes", or "later" if the provider did not say when. */
function whenAgain(seconds: number | undefined): string {
  if (seconds === undefined || seconds < 1) return 'later';
  const [count, unit] = seconds < 120 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `in ${count} ${unit}${count === 1 ? '' : 's'}`;
}

const MAX_REASON = 300;
// Keys and other long secrets. Model and setting names of that length contain a hyphen or a dot.
const SECRET = /\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|key|api)[-_][^\s"'`,;)]+|[A-Za-z0-9+/_=]{28,})/gi;
const UNPRINTABLE = /[\p{C}\p{Z}\s]+/gu;

/**
 * The provider's reason for rejecting a request: one short line without secrets, markup or characters that could make
 * it look like our own text. Callers need it to correct their request.
 */
function reasonOf(message: string): string {
  const line = message
    .replaceAll(UNPRINTABLE, ' ')
    .replaceAll(SECRET, '…')
    .replaceAll(/[<>{}[\]]/g, '')
    .replaceAll(/["“”]/g, "'")
    .trim();
  if (line === '') return '';
  return `: “${line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line}”`;
}
