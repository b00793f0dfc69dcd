import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { jsonOrUndefined } from '../shared/text.ts';
import type { ReadOptions, RemoteContent, RemoteNetwork } from './connector.ts';
import { mediaTypeOf, readBytes, refusal } from './http-answers.ts';
import { withinTime } from './within-time.ts';

/** A service with a JSON API over HTTP. */
export interface JsonService {
  /** Display name for error messages. */
  readonly name: string;
  readonly network: RemoteNetwork;
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Maps an unsuccessful response to an error; by default its status decides. */
  failureOf?(response: Response): Promise<ServiceError>;
  /** Whether a successful response was served to an anonymous visitor despite the credentials that were sent. */
  isAnonymous?(response: Response): boolean;
}

interface JsonOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
}

export interface JsonRequests {
  /** Throws `provider_failed` if the response is not JSON of this schema. Redirects are not followed. */
  json<T>(url: URL, schema: z.ZodType<T>, options: JsonOptions): Promise<T>;
  /** Follows redirects, but does not send the credentials to other hosts. */
  file(url: URL, options: ReadOptions): Promise<RemoteContent>;
}

const MAX_JSON = 32_000_000;
const JSON_TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 600_000;
/** Placeholder media types that services report for files stored without one. */
const GENERIC = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-download']);

export function createJsonRequests(service: JsonService): JsonRequests {
  const { name, network, failureOf = (response) => refusal(response, name, { whole: false }) } = service;

  async function assertAnswered(response: Response): Promise<void> {
    if (!response.ok) throw await failureOf(response);
    if (service.isAnonymous?.(response) !== true) return;
    await response.body?.cancel().catch(() => undefined);
    throw new ServiceError(
      'unauthenticated',
      `${name} treated the request as anonymous. Check the credentials, which may have expired; the documents are kept.`,
    );
  }

  return {
    json: (url, schema, { signal, maxBytes = MAX_JSON }) =>
      withinTime({ name, ms: JSON_TIMEOUT_MS, signal }, async (limited) => {
        const headers = { accept: 'application/json', ...(await service.headers(limited)) };
        const response = await network.fetch(url, { headers, signal: limited, redirect: 'manual' });
        await assertAnswered(response);
        const text = new TextDecoder().decode(await readBytes(response, maxBytes));
        const parsed = schema.safeParse(jsonOrUndefined(text));
        if (parsed.success) return parsed.data;
        const problem = text.trimStart().startsWith('<') ? 'a web page, such as one to log in' : 'something unexpected';
        throw new ServiceError('provider_failed', `${name} answered with ${problem}. Check the address.`, {
          cause: z.prettifyError(parsed.error),
        });
      }),

    file: (url, { signal, maxBytes }) =>
      withinTime({ name, ms: FILE_TIMEOUT_MS, signal }, async (limited) => {
        const response = await network.fetch(url, { headers: await service.headers(limited), signal: limited });
        await assertAnswered(response);
        const mediaType = mediaTypeOf(response);
        const isKnown = mediaType !== undefined && !GENERIC.has(mediaType);
        return { bytes: await readBytes(response, maxBytes), ...(isKnown && { mediaType }) };
      }),
  };
}

/** Derives a file name from a title; falls back to the id. */
export function fileNameOf(title: string, { id, extension }: { readonly id: string; readonly extension: string }) {
  const name = title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ')
    .trim()
    .slice(0, 120);
  return `${name || id}.${extension}`;
}
