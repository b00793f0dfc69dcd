import { ServiceError } from '../errors.ts';

const MAX_REDIRECTS = 5;

/**
 * A `fetch` whose response bodies fail after `max` bytes; `onTooMuch` is called first. In a stream of events, which may
 * last for days, the limit is for each event.
 */
export function boundedFetch(
  max: number,
  onTooMuch: () => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetchWithinHost(new URL(url), init);
    if (response.body === null) return response;
    const isEvents = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    let read = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          read = isEvents && endsEvent(piece) ? 0 : read + piece.byteLength;
          if (read <= max) return controller.enqueue(piece);
          onTooMuch();
          controller.error(new Error(`The answer is longer than ${max} bytes.`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}

/** Whether an event of a stream ends in the piece. */
function endsEvent(piece: Uint8Array): boolean {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return bytes.includes('\n\n') || bytes.includes('\r\n\r\n');
}

/**
 * Follows redirects that keep the method, on the same host only: `fetch` would send headers such as `x-api-key` to any
 * host, and a server could have requests sent to addresses that only this machine reaches.
 */
async function fetchWithinHost(start: URL, init: RequestInit | undefined): Promise<Response> {
  let at = start;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    const target = location === null ? null : URL.parse(location, at.href);
    const isRedirect = response.status === 307 || response.status === 308;
    if (!isRedirect || target === null || redirects === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    if (target.host !== at.host || (target.protocol !== 'https:' && target.protocol !== at.protocol)) {
      throw new ServiceError('provider_failed', 'redirects to another host; set its present address');
    }
    at = target;
  }
}
