import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../errors.ts';
import { readRetryAfter } from './retry-after.ts';

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

/** Thrown by adapters when a stream ends without its final event. */
export class StreamTruncated extends Error {
  override readonly name = 'StreamTruncated';
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
export function toProviderError(error: unknown, { provider, model, signal }: FailedCall): ServiceError {
  if (error instanceof ServiceError) return error;
  if (signal.aborted) return new ServiceError('cancelled', 'The request was cancelled.', { cause: error });
  const { label } = provider;
  const fail = (code: ErrorCode, message: string, remedy: Remedy, retryAfter?: number) =>
    new ProviderError(code, message, remedy, { cause: error, ...(retryAfter !== undefined && { retryAfter }) });

  if (error instanceof StreamTruncated) return fail('provider_failed', `${label} broke off its answer.`, 'retry');
  if (error instanceof SyntaxError) {
    return fail(
      'provider_failed',
      `${label} sent a response in an unexpected format. Check ${provider.addressVariable}.`,
      'retry',
    );
  }
  const facts = readFailure(error);
  if (facts === undefined) {
    const reason = networkCode(error);
    const how = reason === undefined ? 'could not be reached, or broke off,' : `could not be reached (${reason})`;
    return fail(
      'provider_failed',
      `${label} ${how} at ${provider.address}. Check the network and ${provider.addressVariable}.`,
      'retry',
    );
  }

  const { status, detail } = facts;
  const shown = detail === undefined ? `${status}` : `${status} ${detail}`;
  if (facts.isTooLong) {
    return new ProviderError(
      'invalid_request',
      `The request is longer than ${label}'s model "${model}" can read (${shown}). Send less text or ask for fewer search results.`,
      'none',
      { cause: error, isTooLong: true },
    );
  }
  if (status === 402 || facts.isOutOfCredit) {
    return fail('provider_failed', `The account at ${label} has no credit left (${shown}).`, 'other_provider');
  }
  switch (status) {
    case 401:
      return fail(
        'provider_failed',
        provider.hasKey
          ? `${label} refused the key in ${provider.keyVariable} (${shown}). Check that it is complete and still valid.`
          : `${label} asks for a key (${shown}). Set ${provider.keyVariable}.`,
        'other_provider',
      );
    case 403:
      return fail(
        'provider_failed',
        `${label} does not allow this with the key in ${provider.keyVariable} (${shown}): the model or the region is not enabled for it.`,
        'other_provider',
      );
    case 404:
      return facts.isStructured
        ? fail(
            'unknown_model',
            `${label} has no model named "${model}", or the key in ${provider.keyVariable} may not use it (${shown}).`,
            'none',
          )
        : fail(
            'provider_failed',
            `No model API was found at ${provider.address} (404). Check ${provider.addressVariable}.`,
            'other_provider',
          );
    case 429:
      return fail(
        'rate_limited',
        `${label} takes no more requests for now (${shown}). Try again later, or ask for a higher limit there.`,
        'retry',
        facts.retryAfter,
      );
    case 408:
      return fail('timeout', `${label} gave up waiting (${shown}).`, 'retry', facts.retryAfter);
    case 400:
    case 413:
    case 422:
      return fail(
        'invalid_request',
        `${label} refused the request for model "${model}" as invalid (${shown})${reasonOf(facts.message)}. Check the generation settings against what the model takes.`,
        'none',
      );
    default:
      return status >= 500 || status === 409
        ? fail(
            'provider_failed',
            `${label} failed with ${shown}; the fault is on its side. Try again later.`,
            'retry',
            facts.retryAfter,
          )
        : fail('provider_failed', `${label} refused the request (${shown}).`, 'other_provider');
  }
}

interface Failure {
  readonly status: number;
  /** The provider's error code or type and parameter, when they are identifiers; prose is only in `cause`. */
  readonly detail: string | undefined;
  /** The provider's message; may contain anything. */
  readonly message: string;
  readonly isStructured: boolean;
  readonly isTooLong: boolean;
  readonly isOutOfCredit: boolean;
  readonly retryAfter: number | undefined;
}

// Both SDKs throw errors with `status`, `headers` and `error` (the body); without a status when the failure happened
// mid-stream or there was no response. Read structurally, so that the SDKs need not be loaded here.
function readFailure(error: unknown): Failure | undefined {
  if (!isRecord(error)) return undefined;
  const body = innermostError(error['error']);
  const words = body === undefined ? [] : [body['code'], body['type'], body['status']];
  const named = words.filter((word): word is string => typeof word === 'string');
  const httpStatus = typeof error['status'] === 'number' ? error['status'] : undefined;
  if (httpStatus === undefined && body === undefined) return undefined;
  const status = httpStatus ?? numericCode(body) ?? statusOfType(named);
  const message = typeof body?.['message'] === 'string' ? body['message'] : '';
  const parts = [named[0], body?.['param']].filter((part): part is string => isPlainWord(part));
  return {
    status,
    detail: parts.length > 0 ? parts.join(', ') : undefined,
    message,
    isStructured: body !== undefined,
    isTooLong:
      status === 413 || (status < 500 && (named.includes('context_length_exceeded') || TOO_LONG.test(message))),
    isOutOfCredit: named.some((word) => word === 'insufficient_quota' || word === 'billing_error'),
    retryAfter: readRetryAfter(error['headers'] instanceof Headers ? error['headers'] : undefined),
  };
}

const TOO_LONG =
  /prompt is too long|context[_ ](length|size|window)|maximum (context|input)|too many (input )?tokens|exceeds? .*\btokens\b/i;

function innermostError(body: unknown): Record<string, unknown> | undefined {
  if (typeof body === 'string' && body !== '') return { message: body };
  if (!isRecord(body)) return undefined;
  return isRecord(body['error']) ? body['error'] : body;
}

function numericCode(body: Record<string, unknown> | undefined): number | undefined {
  const code = Number(body?.['code']);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  overloaded_error: 529,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  billing_error: 402,
  insufficient_quota: 402,
  request_too_large: 413,
  timeout_error: 504,
  invalid_request_error: 400,
  invalid_prompt: 400,
};

const statusOfType = (words: readonly string[]): number =>
  words.map((word) => STATUS_OF_TYPE[word]).find((status) => status !== undefined) ?? 500;

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

const isPlainWord = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z][a-z0-9_.[\]]{0,60}$/i.test(value);

function networkCode(error: unknown): string | undefined {
  for (let cause = error, depth = 0; isRecord(cause) && depth < 6; cause = cause['cause'], depth++) {
    const code = cause['code'];
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
