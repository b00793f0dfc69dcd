import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { ServiceError } from '../errors.ts';
import { startDeadline } from './abort.ts';

export interface Checksum {
  readonly algorithm: 'sha256' | 'git-sha1';
  readonly value: string;
}

export interface Download {
  readonly url: string;
  readonly target: string;
  readonly checksum: Checksum;
  /** Undefined if it is not known in advance. */
  readonly size?: number | undefined;
  /** Name of the file, for messages. */
  readonly name: string;
  /** What a wrong checksum means, for messages. */
  readonly mismatch?: string;
  /** What to do when the server cannot be reached, for messages. */
  readonly unreachable: string;
  readonly signal: AbortSignal;
  /** Receives the number of bytes present so far, including those of an earlier attempt. */
  readonly onProgress: (bytes: number) => void;
}

const STALLED_AFTER_MS = 30_000;

/**
 * Downloads a file, continuing a partial download. The target exists only if its checksum is right. Throws
 * `provider_failed`, `cancelled`.
 */
export async function download(options: Download): Promise<void> {
  const { url, target, checksum, size, name, signal, onProgress, mismatch = 'Run the command again.' } = options;
  await mkdir(dirname(target), { recursive: true });
  // Named after the content, so that a download never continues the partial file of another version.
  const partial = `${target}.${checksum.value.slice(0, 12)}.partial`;
  if (await hasChecksum(target, checksum, size)) return onProgress((await stat(target)).size);
  let have = existsSync(partial) ? (await stat(partial)).size : 0;
  const isComplete = size === undefined ? have > 0 && (await hasChecksum(partial, checksum)) : have >= size;
  if (!isComplete) {
    const range: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await get(url, { ...options, headers: range });
    if (!response.ok || response.body === null) {
      // 416: the partial file is longer than the file on the server.
      if (response.status === 416) await rm(partial, { force: true });
      throw await refused(response);
    }
    // 200 means that the server ignored the range and sends everything.
    if (response.status !== 206) have = 0;
    onProgress(have);
    await using file = await open(partial, response.status === 206 ? 'a' : 'w');
    await receive(response.body, signal, async (piece) => {
      if (have + piece.length > (size ?? MAX_BYTES))
        throw new ServiceError('provider_failed', `${name} is longer than announced.`);
      await file.appendFile(piece);
      have += piece.length;
      onProgress(have);
    });
  }
  if (!(await hasChecksum(partial, checksum, size))) {
    await rm(partial, { force: true });
    throw new ServiceError('provider_failed', `${name} arrived with a wrong checksum and was deleted. ${mismatch}`);
  }
  await rename(partial, target);
  onProgress(have);
}

/** Size limit for a file whose size is not known in advance. */
const MAX_BYTES = 1_000_000_000;

/**
 * Writes each piece before it reads the next, so that everything received before a broken connection is kept. Aborts
 * when nothing arrives for a while, because a connection may stall without being closed.
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

interface GetOptions extends Pick<Download, 'unreachable' | 'signal'> {
  readonly headers?: Record<string, string>;
}

/** Fetches with a time limit for the response headers. Throws `provider_failed` without a response, `cancelled`. */
export async function get(url: string, { headers = {}, unreachable, signal }: GetOptions): Promise<Response> {
  using deadline = startDeadline(STALLED_AFTER_MS, signal);
  try {
    return await fetch(url, { headers, signal: deadline.signal });
  } catch (cause) {
    if (signal.aborted) throw new ServiceError('cancelled', 'The download was stopped.', { cause });
    throw new ServiceError('provider_failed', `${new URL(url).origin} cannot be reached. ${unreachable}`, { cause });
  }
}

/** The error for a response without content. */
export async function refused(response: Response): Promise<ServiceError> {
  await response.body?.cancel();
  return new ServiceError('provider_failed', `${new URL(response.url).host} answered with status ${response.status}.`);
}

/** False if the file does not exist. */
export async function hasChecksum(path: string, checksum: Checksum, size?: number): Promise<boolean> {
  if (!existsSync(path)) return false;
  const found = await stat(path);
  if (!found.isFile() || (size !== undefined && found.size !== size)) return false;
  const hash: Hash = createHash(checksum.algorithm === 'sha256' ? 'sha256' : 'sha1');
  // Git hashes an object with a prefix of its type and length.
  if (checksum.algorithm === 'git-sha1') hash.update(`blob ${found.size}\0`);
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex') === checksum.value;
}
