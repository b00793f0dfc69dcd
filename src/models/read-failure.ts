import { isObject } from '../shared/objects.ts';
import { readRetryAfter } from './retry-after.ts';

/** What an SDK's error tells about a failed request. */
export interface Failure {
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

/** Undefined if there was no response. */
// Both SDKs throw errors with `status`, `headers` and `error` (the body); without a status when the failure happened
// mid-stream or there was no response. Read structurally, so that the SDKs need not be loaded here.
export function readFailure(error: unknown): Failure | undefined {
  if (!isObject(error)) return undefined;
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
  if (!isObject(body)) return undefined;
  return isObject(body['error']) ? body['error'] : body;
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

const isPlainWord = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z][a-z0-9_.[\]]{0,60}$/i.test(value);

/** The code of the network failure, such as `ECONNREFUSED`. */
export function networkCode(error: unknown): string | undefined {
  for (let cause = error, depth = 0; isObject(cause) && depth < 6; cause = cause['cause'], depth++) {
    const code = cause['code'];
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code;
  }
  return undefined;
}
