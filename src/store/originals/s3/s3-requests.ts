import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { ServiceError } from '../../../errors.ts';
import { readXml, textOf } from '../../../s3/xml-element.ts';
import { WHILE_UNAVAILABLE } from '../object-store.ts';
import { nameOfPlace, type S3Settings } from './s3-settings.ts';

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Undefined for the bucket itself. */
  readonly object?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Number of tries, including the first. */
  readonly tries?: number;
  /** Maximum time until the response begins. */
  readonly withinMs?: number;
}

/** Pauses before the second and later tries; long enough for a service to restart. */
const PAUSES_MS = [200, 600, 1_800];
const ANSWER_WITHIN_MS = 30_000;
/** A part of 16 MB takes about this long at 1 Mbit/s. */
const SEND_WITHIN_MS = 180_000;
const MAX_ERROR_BYTES = 100_000;
const MAX_CODE = 200;
/** Only set on temporary failures. */
const RETRY_AFTER_S = 30;
const EMPTY_HASH = createHash('sha256').digest('hex');

/** A response with an error status. */
export class S3Refusal extends ServiceError {
  readonly status: number;
  /** S3 error code such as `NoSuchKey`; empty if the response has none. */
  readonly reason: string;

  constructor(message: string, { status, reason }: { readonly status: number; readonly reason: string }) {
    super('store_failed', message, {
      publicMessage: `The storage of the uploaded files rejected the request. ${WHILE_UNAVAILABLE}`,
      ...((status >= 500 || status === 429) && { retryAfter: RETRY_AFTER_S }),
    });
    this.status = status;
    this.reason = reason;
  }
}

/** Sends signed requests to a bucket and retries those that failed for a temporary reason. */
export function openRequests(
  settings: S3Settings,
  pausesMs: readonly number[] = PAUSES_MS,
): (request: S3Request) => Promise<Response> {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const name = nameOfPlace(settings);
  const root = `${endpoint}/${bucket}`;
  const cache = new Map<string, ArrayBuffer>();

  async function sendOnce(request: S3Request): Promise<Response> {
    const { method, object, query = {}, body, signal, headers } = request;
    const url = new URL(object === undefined ? root : `${root}/${keyOf(object, prefix)}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    // The service verifies the body against this hash.
    const hash = body === undefined ? EMPTY_HASH : createHash('sha256').update(body).digest('hex');
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      cache,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      ...(sessionToken !== undefined && { sessionToken }),
    }).sign();
    const { withinMs = body === undefined ? ANSWER_WITHIN_MS : SEND_WITHIN_MS } = request;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), withinMs);
    try {
      const signals = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        redirect: 'manual',
        signal: signals,
        ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailableError(
        name,
        deadline.signal.aborted ? `no answer within ${withinMs / 1000} s` : reasonOf(error),
        error,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  return async (request) => {
    const { signal, tries = pausesMs.length + 1 } = request;
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await sendOnce(request);
        if (response.ok) return response;
        throw await toRefusal(response, settings, name);
      } catch (error) {
        const isFinal = !(error instanceof ServiceError) || (error instanceof S3Refusal && !mayPass(error));
        if (isFinal || attempt >= tries) throw error;
        await sleep(pausesMs[attempt - 1], undefined, { ...(signal && { signal }) });
      }
    }
  };
}

export const keyOf = (object: string, prefix: string): string => (prefix === '' ? object : `${prefix}/${object}`);

/** Error for a storage that does not answer or has stopped answering. */
export const unavailableError = (name: string, reason: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'store_failed',
    `The storage of the originals, ${name}, does not answer (${reason}). ${WHILE_UNAVAILABLE}`,
    {
      cause,
      retryAfter: RETRY_AFTER_S,
      publicMessage: `The storage of the uploaded files does not answer. ${WHILE_UNAVAILABLE}`,
    },
  );

const mayPass = ({ status, reason }: S3Refusal): boolean =>
  status === 429 || status >= 500 || reason === 'RequestTimeout' || reason === 'OperationAborted';

export function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  const reported = cause instanceof Error ? cause : error;
  if (!(reported instanceof Error)) return String(reported);
  const code = 'code' in reported && typeof reported.code === 'string' ? reported.code : '';
  return reported.message.includes(code) ? reported.message || code : `${code}: ${reported.message}`;
}

async function toRefusal(response: Response, settings: S3Settings, name: string): Promise<S3Refusal> {
  const { status, headers } = response;
  const body = await response.text().catch(() => '');
  const error = readXml(body.slice(0, MAX_ERROR_BYTES));
  const reason = textOf(error, 'Code').slice(0, MAX_CODE);
  const region = headers.get('x-amz-bucket-region') ?? textOf(error, 'Region').slice(0, MAX_CODE);
  const refusal = (words: string) => new S3Refusal(words, { status, reason });
  if (reason === 'NoSuchBucket') {
    return refusal(
      `There is no bucket "${settings.bucket}" at ${new URL(settings.endpoint).host}. Create it, or correct ` +
        'CITEWELL_ORIGINALS or CITEWELL_ORIGINALS_ENDPOINT.',
    );
  }
  if ((status >= 300 && status < 400) || (region !== '' && region !== settings.region)) {
    const where = region === '' ? 'another region or at another address' : `the region ${region}`;
    return refusal(`${name} is in ${where}. Correct CITEWELL_ORIGINALS_REGION or CITEWELL_ORIGINALS_ENDPOINT.`);
  }
  const answer = reason === '' ? `status ${status}` : `${reason}, status ${status}`;
  if (reason === 'RequestTimeTooSkewed') {
    return refusal(`The clock of this machine is too far from that of ${name} (${answer}). Synchronise it.`);
  }
  if (status === 401 || status === 403) {
    return refusal(
      `${name} refuses access (${answer}). Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and that ` +
        'the key may list the bucket and read, write and delete its objects.',
    );
  }
  return refusal(`${name} answers with ${answer}. ${WHILE_UNAVAILABLE}`);
}
