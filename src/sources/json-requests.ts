import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { jsonOrUndefined } from '../shared/text.ts';
import type { ReadOptions, RemoteContent, RemoteNetwork } from './connector.ts';
import { mediaTypeOf, readBytes, refusal } from './http-answers.ts';
import { withinTime } from './within-time.ts';

/** A service with an interface of JSON over HTTP. */
export interface JsonService {
  /** For messages. */
  readonly name: string;
  readonly network: RemoteNetwork;
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** The error of a response that is no success; by its status unless given. */
  failureOf?(response: Response): Promise<ServiceError>;
  /** Whether a success was not answered to the account whose credentials were sent. */
  isAnonymous?(response: Response): boolean;
}

interface JsonOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
}

export interface JsonRequests {
  /** Throws `provider_failed` for what is no JSON of this schema. Redirects are refused. */
  json<T>(url: URL, schema: z.ZodType<T>, options: JsonOptions): Promise<T>;
  /** Redirects are followed, without the credentials to other hosts. */
  file(url: URL, options: ReadOptions): Promise<RemoteContent>;
}

const MAX_JSON = 32_000_000;
const JSON_TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 600_000;
/** What services say of files that were stored without a type. */
const GENERIC = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-download']);

export function createJsonRequests(service: JsonService): JsonRequests {
  const { name, network, failureOf = (response) => refusal(response, name, { whole: false }) } = service;

  async function assertAnswered(response: Response): Promise<void> {
    if (!response.ok) throw await failureOf(response);
    if (service.isAnonymous?.(response) !== true) return;
    await response.body?.cancel().catch(() => undefined);
    throw new ServiceError(
      'unauthenticated',
      `${name} answered as to a visitor without an account. Check the credentials, which may have expired; the documents stay.`,
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

/** The name of a file that has a title only. */
export function fileNameOf(title: string, { id, extension }: { readonly id: string; readonly extension: string }) {
  const name = title
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ')
    .trim()
    .slice(0, 120);
  return `${name || id}.${extension}`;
}
