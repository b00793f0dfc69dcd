import pLimit from 'p-limit';
import { ServiceError } from '../../../errors.ts';
import { readListPage } from '../../../s3/list-page.ts';
import { readXml, textOf } from '../../../s3/xml-element.ts';
import type { ObjectStore } from '../object-store.ts';
import { keyOf, openRequests, reasonOf, S3Refusal, type S3Request, unavailableError } from './s3-requests.ts';
import { nameOfPlace, placeOf, type S3Settings } from './s3-settings.ts';

/** Larger objects are uploaded in parts of this size. Each part in flight is copied once in memory. */
const PART_BYTES = 16 * 1024 * 1024;
const PART_CONCURRENCY = 2;
/** Maximum time between two pieces of a response. */
const SILENT_MS = 60_000;
const PROBE_WITHIN_MS = 3_000;
/** A probe older than this is refreshed in the background; one older than `PROBE_USABLE_MS` is awaited. */
const PROBE_FRESH_MS = 5_000;
const PROBE_USABLE_MS = 60_000;
/** Need not exist: "not found" also proves that the storage answers. */
const PROBED = 'citewell.json';

/** Objects in a bucket of S3 or a compatible service. `pausesMs` are the pauses before retries. */
export function openS3Objects(
  settings: S3Settings,
  { pausesMs }: { readonly pausesMs?: readonly number[] } = {},
): ObjectStore {
  const send = openRequests(settings, pausesMs);
  const { prefix } = settings;
  const name = nameOfPlace(settings);
  let probed: { readonly at: number; readonly problem: string | undefined } | undefined;
  let probing: Promise<string | undefined> | undefined;

  async function get(request: Omit<S3Request, 'method'>): Promise<Response | undefined> {
    try {
      return await send({ ...request, method: 'GET' });
    } catch (error) {
      if (error instanceof S3Refusal && error.status === 404 && error.reason !== 'NoSuchBucket') return undefined;
      throw error;
    }
  }

  async function probe(): Promise<string | undefined> {
    try {
      await (await get({ object: PROBED, tries: 1, withinMs: PROBE_WITHIN_MS }))?.arrayBuffer();
      return undefined;
    } catch (error) {
      return error instanceof ServiceError ? error.message : reasonOf(error);
    }
  }

  return {
    place: placeOf(settings),
    name,

    async put(object, bytes, signal) {
      if (bytes.byteLength > PART_BYTES) return putInParts(send, object, bytes, signal);
      await discard(await send({ method: 'PUT', object, body: bytes, signal }));
    },

    async get(object, { range, signal } = {}) {
      const headers = range && { range: `bytes=${range.start}-${range.end}` };
      const response = await get({ object, signal, ...(headers && { headers }) });
      if (response === undefined) return undefined;
      if (range !== undefined && response.status !== 206) {
        await response.body?.cancel();
        throw new ServiceError('store_failed', `${name} does not support range requests (status ${response.status}).`);
      }
      return piecesOf(response, name, signal);
    },

    async remove(object, signal) {
      try {
        await discard(await send({ method: 'DELETE', object, signal }));
      } catch (error) {
        if (!(error instanceof S3Refusal && error.status === 404 && error.reason !== 'NoSuchBucket')) throw error;
      }
    },

    async *list(start, signal) {
      const first = { 'list-type': '2', prefix: keyOf(start, prefix) };
      let query: Readonly<Record<string, string>> | undefined = first;
      while (query !== undefined) {
        const page = readListPage(await (await send({ method: 'GET', query, signal })).text());
        if (page === undefined) {
          throw new ServiceError(
            'store_failed',
            `${name} did not return an S3 object list. Check CITEWELL_ORIGINALS_ENDPOINT.`,
          );
        }
        for (const { key } of page.objects) yield key.slice(keyOf('', prefix).length);
        query = page.next === undefined ? undefined : { ...first, 'continuation-token': page.next };
      }
    },

    async problem() {
      const age = probed === undefined ? Number.POSITIVE_INFINITY : performance.now() - probed.at;
      if (age > PROBE_FRESH_MS) {
        probing ??= probe().then((problem) => {
          probed = { at: performance.now(), problem };
          probing = undefined;
          return problem;
        });
      }
      return age > PROBE_USABLE_MS ? probing : probed?.problem;
    },
  };
}

/** Reads a response to its end, so that its connection can be reused. */
const discard = async (response: Response): Promise<void> => void (await response.arrayBuffer().catch(() => undefined));

async function* piecesOf(
  { body }: Response,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const silence = Promise.withResolvers<never>();
      const timer = setTimeout(() => silence.reject(new Error(`nothing came for ${SILENT_MS / 1000} s`)), SILENT_MS);
      const { done, value } = await Promise.race([reader.read(), silence.promise]).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw unavailableError(name, reasonOf(error), error);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A multipart upload, which is aborted if it fails. */
async function putInParts(
  send: (request: S3Request) => Promise<Response>,
  object: string,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  const reply = await (await send({ method: 'POST', object, query: { uploads: '' }, signal })).text();
  const uploadId = textOf(readXml(reply), 'UploadId');
  if (uploadId === '') throw new ServiceError('store_failed', `The storage returned no upload id for ${object}.`);
  const failing = new AbortController();
  const combined = signal === undefined ? failing.signal : AbortSignal.any([failing.signal, signal]);
  try {
    const limit = pLimit(PART_CONCURRENCY);
    const count = Math.ceil(bytes.byteLength / PART_BYTES);
    const tags = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        limit(async () => {
          const body = bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
          const query = { partNumber: String(index + 1), uploadId };
          const response = await send({ method: 'PUT', object, query, body, signal: combined });
          await discard(response);
          return response.headers.get('etag') ?? '';
        }),
      ),
    );
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const headers = { 'content-type': 'application/xml' };
    const ended = await send({ method: 'POST', object, query: { uploadId }, headers, body, signal });
    const answer = readXml(await ended.text());
    // S3 sends the status before it has assembled the parts, so only the body tells whether that succeeded.
    if (answer?.name !== 'CompleteMultipartUploadResult') {
      const reason = textOf(answer, 'Code') || 'no reason';
      throw new S3Refusal(`The multipart upload of ${object} failed (${reason}).`, { status: 500, reason });
    }
  } catch (error) {
    failing.abort();
    await send({ method: 'DELETE', object, query: { uploadId }, tries: 1 })
      .then(discard)
      .catch(() => undefined);
    throw error;
  }
}

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => `&${sign === '&' ? 'amp' : sign === '<' ? 'lt' : 'gt'};`);
