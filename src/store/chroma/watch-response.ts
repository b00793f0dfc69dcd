import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { z } from 'zod';

/** The head of the last response to a call. */
export interface ResponseHead {
  status?: number;
  retryAfter?: string | undefined;
}

const calls = new AsyncLocalStorage<ResponseHead>();
const heads = new WeakMap<object, ResponseHead>();
let isWatching = false;

/**
 * Runs a call and fills in `head`. Chroma's client hides the headers of error responses and accepts no custom `fetch`,
 * so they are read from the diagnostics channels of Node's `fetch` (undici).
 */
export function watchResponse<T>(head: ResponseHead, call: () => Promise<T>): Promise<T> {
  if (!isWatching) {
    isWatching = true;
    subscribe('undici:request:create', noteRequest);
    subscribe('undici:request:headers', noteHead);
  }
  return calls.run(head, call);
}

const created = z.object({ request: z.custom<object>((value) => typeof value === 'object' && value !== null) });
const answered = created.extend({
  response: z.object({ statusCode: z.number(), headers: z.array(z.instanceof(Uint8Array)) }),
});

function noteRequest(message: unknown): void {
  const head = calls.getStore();
  const { data } = created.safeParse(message);
  if (head !== undefined && data !== undefined) heads.set(data.request, head);
}

function noteHead(message: unknown): void {
  const { data } = answered.safeParse(message);
  if (data === undefined) return;
  const head = heads.get(data.request);
  if (head === undefined) return;
  const { statusCode, headers } = data.response;
  head.status = statusCode;
  const texts = headers.map((bytes) => Buffer.from(bytes).toString('latin1'));
  const at = texts.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'retry-after');
  head.retryAfter = at < 0 ? undefined : texts[at + 1];
}
