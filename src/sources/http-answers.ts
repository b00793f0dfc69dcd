import { ServiceError } from '../errors.ts';
import { byteCount } from '../shared/byte-count.ts';

/** Reads the body of a response. Throws `too_large` as soon as it exceeds `maxBytes`. */
export async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new ServiceError('too_large', `It has more than the ${byteCount(maxBytes)} that are read.`);
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Throwing out of the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The media type without parameters. */
export const mediaTypeOf = ({ headers }: Response): string | undefined =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined;

/**
 * Maps an unsuccessful response to an error and discards its body. `whole`: the request concerned the whole source, not
 * a single item.
 */
export async function refusal(
  response: Response,
  what: string,
  { whole }: { readonly whole: boolean },
): Promise<ServiceError> {
  const { status } = response;
  await response.body?.cancel().catch(() => undefined);
  const answered = `${what} answered with ${status}`;
  if (status === 401 || (status === 403 && whole)) {
    return new ServiceError(
      'unauthenticated',
      `Access refused: ${answered}. Check the credentials and what they permit; the documents stay.`,
    );
  }
  if (status === 403) return new ServiceError('forbidden', `Access refused: ${answered}.`);
  if (status === 404 || status === 410) {
    return new ServiceError(whole ? 'invalid_request' : 'not_found', `${answered}: not found.`);
  }
  if (status === 429 || status === 503) {
    const retryAfter = secondsOf(response.headers.get('retry-after'));
    return new ServiceError(
      'rate_limited',
      `${answered}: too many requests.`,
      retryAfter === undefined ? {} : { retryAfter },
    );
  }
  if (status >= 300 && status < 400) {
    return new ServiceError('invalid_request', `${answered}: unexpected redirect. Check the address and the region.`);
  }
  return new ServiceError(status >= 500 || status === 408 ? 'provider_failed' : 'invalid_request', `${answered}.`);
}

/** Parses a Retry-After header, given in seconds or as a date, to seconds; undefined if absent or invalid. */
export function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined;
}
