import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { startDeadline } from '../shared/abort.ts';

/** A file of a hub repository with the checksum that the hub records for it. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  readonly checksum: { readonly algorithm: 'sha256' | 'git-sha1'; readonly value: string };
}

export interface HubRepository {
  /** Commit, so that all files are of one state. */
  readonly revision: string;
  readonly files: readonly HubFile[];
}

const revisionInfo = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });
const tree = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number(),
    oid: z.string(),
    lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number() }).optional(),
  }),
);

const STALLED_AFTER_MS = 30_000;

/**
 * The files of a repository at its latest commit, by the hub's API (`/api/models/…/revision`, `/tree`). Throws
 * `invalid_request` for an unknown repository and `provider_failed` when the hub does not answer.
 */
export async function readRepository(hub: string, repository: string, signal: AbortSignal): Promise<HubRepository> {
  const at = `${hub}/api/models/${repository}`;
  const { sha: revision } = await readJson(`${at}/revision/main`, revisionInfo, { repository, signal });
  const entries = await readJson(`${at}/tree/${revision}?recursive=true`, tree, { repository, signal });
  return {
    revision,
    files: entries
      .filter(({ type }) => type === 'file')
      .map(({ path, size, oid, lfs }) => ({
        path,
        size: lfs?.size ?? size,
        checksum: lfs ? { algorithm: 'sha256', value: lfs.oid } : { algorithm: 'git-sha1', value: oid },
      })),
  };
}

async function readJson<T>(
  url: string,
  schema: z.ZodType<T>,
  { repository, signal }: { readonly repository: string; readonly signal: AbortSignal },
): Promise<T> {
  const response = await get(url, {}, signal);
  // The hub answers 401 for repositories that do not exist.
  if (response.status === 404 || response.status === 401) {
    await response.body?.cancel();
    throw new ServiceError(
      'invalid_request',
      `${new URL(url).host} has no public model "${repository}". "citewell models list" shows the models known to work.`,
    );
  }
  if (!response.ok) throw await refused(response);
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new ServiceError('provider_failed', `${new URL(url).host} is not a model hub: its answer has another form.`, {
    cause: parsed.error,
  });
}

export interface Download {
  readonly hub: string;
  readonly repository: string;
  readonly revision: string;
  readonly file: HubFile;
  readonly target: string;
  readonly signal: AbortSignal;
  /** Bytes of this file that are there. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Downloads a file, continuing a partial download. The target exists only when its checksum is right. Throws
 * `provider_failed`, `cancelled`.
 */
export async function download(options: Download): Promise<void> {
  const { hub, repository, revision, file, signal, onProgress } = options;
  await mkdir(dirname(options.target), { recursive: true });
  // Named after the content, so that it never continues another version.
  const partial = `${options.target}.${file.checksum.value.slice(0, 12)}.partial`;
  if (await hasChecksum(options.target, file)) return onProgress(file.size);
  let have = existsSync(partial) ? (await stat(partial)).size : 0;
  if (have < file.size) {
    const path = file.path.split('/').map(encodeURIComponent).join('/');
    const response = await get(
      `${hub}/${repository}/resolve/${revision}/${path}`,
      have > 0 ? { range: `bytes=${have}-` } : {},
      signal,
    );
    if (!response.ok || response.body === null) throw await refused(response);
    // 200 means that the server ignored the range and sends everything.
    if (response.status !== 206) have = 0;
    onProgress(have);
    await using target = await open(partial, response.status === 206 ? 'a' : 'w');
    await receive(response.body, signal, async (piece) => {
      if (have + piece.length > file.size)
        throw new ServiceError('provider_failed', `${file.path} is longer than announced.`);
      await target.appendFile(piece);
      have += piece.length;
      onProgress(have);
    });
  }
  if (!(await hasChecksum(partial, file))) {
    await rm(partial, { force: true });
    throw new ServiceError(
      'provider_failed',
      `${file.path} of ${repository} arrived with a wrong checksum and was deleted. Run the command again.`,
    );
  }
  await rename(partial, options.target);
  onProgress(file.size);
}

/**
 * Writes each piece before it takes the next, so that what has arrived when the connection breaks is kept. Ends when
 * nothing arrives for a while: a connection may stall without being closed.
 */
async function receive(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), STALLED_AFTER_MS);
  const stopped = AbortSignal.any([signal, stalled.signal]);
  try {
    for await (const piece of Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0], { signal: stopped })) {
      timer.refresh();
      await write(piece);
    }
  } catch (cause) {
    if (signal.aborted) throw new ServiceError('cancelled', 'The download was stopped; it continues when run again.');
    if (cause instanceof ServiceError) throw cause;
    const reason = stalled.signal.aborted ? `nothing arrived for ${STALLED_AFTER_MS / 1000} s` : 'the connection broke';
    throw new ServiceError('provider_failed', `The download stopped: ${reason}. Run the command again to continue.`, {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  // Limits the time until the answer begins; `receive` watches the rest.
  using deadline = startDeadline(STALLED_AFTER_MS, signal);
  try {
    return await fetch(url, { headers, signal: deadline.signal });
  } catch (cause) {
    if (signal.aborted) throw new ServiceError('cancelled', 'The download was stopped.', { cause });
    throw new ServiceError(
      'provider_failed',
      `${new URL(url).origin} cannot be reached. Set CITEWELL_MODEL_HUB to a mirror, or install from a folder with --from.`,
      { cause },
    );
  }
}

async function refused(response: Response): Promise<ServiceError> {
  await response.body?.cancel();
  return new ServiceError('provider_failed', `${new URL(response.url).host} answered with status ${response.status}.`);
}

async function hasChecksum(path: string, { size, checksum }: HubFile): Promise<boolean> {
  if (!existsSync(path) || (await stat(path)).size !== size) return false;
  const hash: Hash = createHash(checksum.algorithm === 'sha256' ? 'sha256' : 'sha1');
  // A Git object is hashed with its type and length before it.
  if (checksum.algorithm === 'git-sha1') hash.update(`blob ${size}\0`);
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex') === checksum.value;
}
