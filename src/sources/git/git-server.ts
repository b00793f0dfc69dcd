import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import type { RemoteNetwork } from '../connector.ts';
import { refusal } from '../http-answers.ts';
import { withinTime } from '../within-time.ts';
import { DELIMITER, FLUSH, lineOf, type Packet, packetLine, readPackets } from './packet-lines.ts';

export interface GitServerParts {
  /** URL of the repository, without credentials. */
  readonly url: string;
  readonly user: string | undefined;
  readonly token: string | undefined;
  readonly network: RemoteNetwork;
}

export interface Ref {
  readonly name: string;
  /** For an annotated tag, the commit that it points to (peeled). */
  readonly oid: string;
}

export interface Refs {
  /** The branch that HEAD points to, which may not exist. */
  readonly head: string | undefined;
  readonly refs: readonly Ref[];
}

export interface FetchRequest {
  readonly wants: readonly string[];
  /** Omit the ancestors of the wanted commits (depth 1). */
  readonly isShallow?: boolean;
  /** Omit blobs (`filter blob:none`). */
  readonly withoutFiles?: boolean;
  /** A larger response is rejected with `too_large`. */
  readonly maxBytes: number;
}

/** Client for version 2 of Git's smart HTTP protocol, supported by servers since Git 2.18. */
export interface GitServer {
  capabilities(signal: AbortSignal): Promise<Capabilities>;
  /** The references whose full names start with one of these prefixes. */
  refs(prefixes: readonly string[], signal: AbortSignal): Promise<Refs>;
  /** A pack with the wanted objects and everything reachable from them. */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<Buffer>;
}

export interface Capabilities {
  readonly hash: 'sha1' | 'sha256';
  /** Whether the server supports filters, and so can omit blobs. */
  readonly filters: boolean;
}

const MAX_LINES = 200_000;
const MAX_REDIRECTS = 5;
const ANSWER_TIMEOUT_MS = 60_000;
const PACK_TIMEOUT_MS = 900_000;
/** GitHub, GitLab and Gitea accept any user name if the password is a token. */
const ANY_USER = 'x-access-token';

export function createGitServer({ url, user, token, network }: GitServerParts): GitServer {
  const name = new URL(url).host + new URL(url).pathname;
  const credentials = Buffer.from(`${user ?? ANY_USER}:${token}`).toString('base64');
  const headers = {
    'git-protocol': 'version=2',
    'user-agent': 'git/citewell',
    ...(token !== undefined && { authorization: `Basic ${credentials}` }),
  };
  let opening: Promise<{ readonly base: string; readonly capabilities: Capabilities }> | undefined;

  const within = <T>(ms: number, signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> =>
    withinTime({ name, ms, signal }, work);

  /** Follows redirects to the final base URL and reads the server's capabilities. */
  const discover = (signal: AbortSignal) =>
    within(ANSWER_TIMEOUT_MS, signal, async (limited) => {
      let address = new URL(`${url.replace(/\/$/, '')}/info/refs?service=git-upload-pack`);
      for (let redirects = 0; ; redirects++) {
        const response = await network.fetch(address, { headers, signal: limited, redirect: 'manual' });
        const location = response.headers.get('location');
        if (response.status >= 300 && response.status < 400 && location !== null && redirects < MAX_REDIRECTS) {
          await response.body?.cancel();
          address = followed(address, location, name);
          continue;
        }
        if (!response.ok) throw await refused(response);
        const base = address.href.replace(/\/info\/refs\?.*$/, '');
        return { base, capabilities: await readCapabilities(packetsOf(response), name) };
      }
    });

  async function open(signal: AbortSignal) {
    opening ??= discover(signal);
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  }

  async function refused(response: Response): Promise<ServiceError> {
    if (response.status !== 404) return refusal(response, name, { whole: true });
    await response.body?.cancel();
    return new ServiceError(
      'invalid_request',
      `There is no repository at ${name}, or these credentials may not see it (404). Check the address and the token.`,
    );
  }

  async function ask<T>(
    { command, lines }: { readonly command: string; readonly lines: readonly string[] },
    { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
    read: (packets: AsyncIterable<Packet>) => Promise<T>,
  ): Promise<T> {
    const { base, capabilities } = await open(signal);
    const head = [`command=${command}`, 'agent=citewell', `object-format=${capabilities.hash}`];
    const body = head.map(packetLine).join('') + DELIMITER + lines.map(packetLine).join('') + FLUSH;
    return within(ms, signal, async (limited) => {
      const response = await network.fetch(`${base}/git-upload-pack`, {
        method: 'POST',
        body,
        signal: limited,
        redirect: 'manual',
        headers: {
          ...headers,
          'content-type': 'application/x-git-upload-pack-request',
          accept: 'application/x-git-upload-pack-result',
        },
      });
      if (!response.ok) throw await refused(response);
      return read(packetsOf(response));
    });
  }

  return {
    capabilities: async (signal) => (await open(signal)).capabilities,
    refs: (prefixes, signal) =>
      ask(
        { command: 'ls-refs', lines: ['peel', 'symrefs', ...prefixes.map((prefix) => `ref-prefix ${prefix}`)] },
        { signal, ms: ANSWER_TIMEOUT_MS },
        readRefs,
      ),
    fetch: ({ wants, isShallow, withoutFiles, maxBytes }, signal) =>
      ask(
        {
          command: 'fetch',
          lines: [
            'no-progress',
            'ofs-delta',
            ...wants.map((oid) => `want ${oid}`),
            ...(isShallow ? ['deepen 1'] : []),
            ...(withoutFiles ? ['filter blob:none'] : []),
            'done',
          ],
        },
        { signal, ms: PACK_TIMEOUT_MS },
        (packets) => readPackfile(packets, name, maxBytes),
      ),
  };
}

/** The target of a redirect. Throws if it leaves the host or downgrades to HTTP, as credentials would leak. */
function followed(from: URL, location: string, name: string): URL {
  const to = URL.parse(location, from.href);
  if (
    to?.host === from.host &&
    to.pathname.endsWith('/info/refs') &&
    !(from.protocol === 'https:' && to.protocol !== from.protocol)
  )
    return to;
  const place = to === null ? 'elsewhere' : to.origin + to.pathname.replace(/\/info\/refs$/, '');
  throw new ServiceError('invalid_request', `${name} leads to ${place}. Follow the repository by its present address.`);
}

async function* packetsOf({ body }: Response): AsyncGenerator<Packet, void> {
  let isFirst = true;
  for await (const packet of readPackets(body ?? noBytes())) {
    if (isFirst && typeof packet !== 'string' && lineOf(packet).startsWith('ERR ')) throw errorLine(lineOf(packet));
    isFirst = false;
    yield packet;
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array, void> {}

const errorLine = (line: string): ServiceError =>
  /not our ref|not found|not valid/i.test(line)
    ? new ServiceError('not_found', 'The Git server has no such object any more.', { cause: line })
    : new ServiceError('provider_failed', 'The Git server could not do what was asked.', { cause: line });

async function readCapabilities(packets: AsyncIterable<Packet>, name: string): Promise<Capabilities> {
  const lines: string[] = [];
  for await (const packet of packets) {
    if (typeof packet !== 'string') lines.push(lineOf(packet));
    if (lines.length > 200) break;
  }
  if (!lines.includes('version 2')) {
    throw new ServiceError(
      'invalid_request',
      `${name} does not speak version 2 of Git’s protocol. The server needs Git 2.18 or later.`,
    );
  }
  const format = lines.find((line) => line.startsWith('object-format='))?.slice('object-format='.length) ?? 'sha1';
  if (format !== 'sha1' && format !== 'sha256') {
    throw new ServiceError(
      'invalid_request',
      `${name} uses an unsupported object format; SHA-1 and SHA-256 are supported.`,
    );
  }
  const fetching = lines.find((line) => line.startsWith('fetch='))?.slice('fetch='.length) ?? '';
  return { hash: format, filters: fetching.split(' ').includes('filter') };
}

async function readRefs(packets: AsyncIterable<Packet>): Promise<Refs> {
  const refs: Ref[] = [];
  let head: string | undefined;
  for await (const packet of packets) {
    if (typeof packet === 'string') continue;
    const [oid = '', name = '', ...attributes] = lineOf(packet).split(' ');
    const target = attributes.find((each) => each.startsWith('symref-target:'))?.slice('symref-target:'.length);
    const peeled = attributes.find((each) => each.startsWith('peeled:'))?.slice('peeled:'.length);
    if (name === 'HEAD') head = target;
    refs.push({ name, oid: peeled ?? oid });
    if (refs.length > MAX_LINES) throw new ServiceError('too_large', 'The repository has too many references.');
  }
  return { head, refs };
}

async function readPackfile(packets: AsyncIterable<Packet>, name: string, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let isInPack = false;
  for await (const packet of packets) {
    if (typeof packet === 'string') continue;
    if (!isInPack) {
      isInPack = lineOf(packet) === 'packfile';
      continue;
    }
    const data = packet.subarray(1);
    if (packet[0] === 3) throw errorLine(lineOf(data));
    if (packet[0] !== 1) continue;
    size += data.length;
    if (size > maxBytes) {
      const max = byteCount(maxBytes);
      throw new ServiceError('too_large', `${name} has more than the ${max} that are fetched at once.`);
    }
    // Copied, because the packet is a view into a larger buffer.
    parts.push(Buffer.from(data));
  }
  if (!isInPack) throw new ServiceError('provider_failed', `${name} answered without objects.`);
  return Buffer.concat(parts);
}
