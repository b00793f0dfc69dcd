import { randomBytes } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress, constants as zlib } from 'node:zlib';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import { moveToNewName } from '../shared/move-to-new-name.ts';

/** Magic bytes of encrypted files, which other programs can decrypt too: the age format (age-encryption.org). */
const AGE = Buffer.from('age-encryption.org/');
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const PIECE = 256 * 1024;

export interface SealOptions {
  /** If undefined, the file is not encrypted. */
  readonly passphrase: string | undefined;
  /** Base-2 logarithm of the scrypt work factor for the passphrase; age's default takes about a second. */
  readonly keyWork?: number;
  /** Called with the number of bytes read so far. */
  readonly onProgress: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** Throws if `sealArchive` could not begin the file, for callers that first make the archive. */
export async function requireWritable(file: string): Promise<void> {
  if ((await stat(file).catch(() => undefined)) !== undefined) throw existsAlready(file);
  // With a final "/." it fails if the folder is a file.
  await access(`${dirname(file)}/.`, constants.W_OK).catch((error: unknown) => {
    throw writeFailure(error, file);
  });
}

/**
 * Writes an archive to a new file, compressed, and encrypted if there is a passphrase. The file appears only when it is
 * complete. Throws `conflict` if it already exists.
 */
export async function sealArchive(
  content: AsyncIterable<Uint8Array>,
  file: string,
  options: SealOptions,
): Promise<void> {
  // A killed process leaves its partial file behind, and process ids are reused, so the name is random.
  const partial = `${file}.partial-${randomBytes(6).toString('hex')}`;
  const compress = createZstdCompress({ params: { [zlib.ZSTD_c_checksumFlag]: 1 } });
  try {
    const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(
      metered(content, options),
      compress,
      (bytes: AsyncIterable<Uint8Array>) => encrypted(bytes, options),
      output,
      { signal: options.signal },
    );
    // Fails if a file of that name has appeared in the meantime.
    await moveToNewName(partial, file);
    await flushFolder(dirname(file));
  } catch (error) {
    throw writeFailure(error, file, options.signal);
  } finally {
    await rm(partial, { force: true });
  }
}

async function flushFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => undefined);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}

/** Reads the tar archive in a file, which may be encrypted, compressed, both or neither. */
export async function* openArchive(file: string, options: SealOptions): AsyncGenerator<Uint8Array, void> {
  const pieces = createReadStream(file, { highWaterMark: PIECE });
  try {
    const { first, all } = await peek(metered(pieces, options));
    const isEncrypted = first.subarray(0, AGE.length).equals(AGE);
    const plain = await peek(isEncrypted ? decrypted(all, file, options.passphrase) : all);
    if (!plain.first.subarray(0, ZSTD.length).equals(ZSTD)) yield* plain.all;
    else yield* decompressed(plain.all, options.signal);
  } catch (error) {
    throw readFailure(error, file, options.signal);
  } finally {
    pieces.destroy();
  }
}

/** Whether a passphrase is needed to read the file. */
export async function isEncryptedFile(file: string): Promise<boolean> {
  try {
    const opened = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(AGE.length), 0, AGE.length, 0);
      return buffer.subarray(0, bytesRead).equals(AGE);
    } finally {
      await opened.close();
    }
  } catch (error) {
    throw readFailure(error, file);
  }
}

async function* metered(content: AsyncIterable<Uint8Array>, { onProgress, signal }: SealOptions) {
  let bytes = 0;
  for await (const piece of content) {
    signal.throwIfAborted();
    yield piece;
    bytes += piece.byteLength;
    onProgress(bytes);
  }
}

async function peek(content: AsyncIterable<Uint8Array>) {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Uint8Array, void> {
    try {
      if (!first.done) yield first.value;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  };
  return { first: Buffer.from(first.done ? [] : first.value.subarray(0, AGE.length)), all: all() };
}

async function* decompressed(content: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const decompress = createZstdDecompress();
  // pipeline() destroys both streams on failure, so the reader of `decompress` receives the error.
  pipeline(content, decompress, { signal }).catch(() => undefined);
  yield* decompress;
}

// The package is loaded only if there is something to encrypt.
async function* encrypted(content: AsyncIterable<Uint8Array>, { passphrase, keyWork }: SealOptions) {
  if (passphrase === undefined) {
    yield* content;
    return;
  }
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  if (keyWork !== undefined) encrypter.setScryptWorkFactor(keyWork);
  yield* await encrypter.encrypt(ReadableStream.from(content));
}

async function* decrypted(content: AsyncIterable<Uint8Array>, file: string, passphrase: string | undefined) {
  if (passphrase === undefined) {
    throw new ServiceError('invalid_request', `${file} is encrypted. Pass its passphrase with --passphrase-stdin.`);
  }
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  let plain: ReadableStream<Uint8Array>;
  try {
    plain = await decrypter.decrypt(ReadableStream.from(content));
  } catch (error) {
    if (error instanceof Error && /no identity matched/.test(error.message)) {
      const words = `This is not the passphrase of ${file}, or its first bytes are damaged.`;
      throw new ServiceError('invalid_request', words, { cause: error });
    }
    throw error;
  }
  yield* plain;
}

function writeFailure(error: unknown, file: string, signal?: AbortSignal): unknown {
  if (error instanceof ServiceError) return error;
  if (signal?.aborted) return new ServiceError('cancelled', 'Interrupted; no backup was written.', { cause: error });
  const code = codeOf(error);
  if (code === 'EEXIST') return existsAlready(file, error);
  const reason = WRITE_REASONS.get(code) ?? errorMessage(error);
  return new ServiceError('store_failed', `${file} cannot be written: ${reason}.`, { cause: error });
}

const existsAlready = (file: string, cause?: unknown): ServiceError =>
  new ServiceError('conflict', `${file} exists already. Choose another name, or delete it.`, { cause });

const WRITE_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'its folder is a file'],
  ['EACCES', 'this user may not write there'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
]);

/** Turns a failure to read a backup into a ServiceError with a plain message; other errors are unchanged. */
export function readFailure(error: unknown, file: string, signal?: AbortSignal): unknown {
  if (error instanceof ServiceError) return error;
  if (signal?.aborted) return new ServiceError('cancelled', 'Interrupted; nothing was changed.', { cause: error });
  const code = codeOf(error);
  if (code === 'ENOENT') return new ServiceError('invalid_request', `There is no file ${file}.`, { cause: error });
  if (code === 'EISDIR') return new ServiceError('invalid_request', `${file} is a folder.`, { cause: error });
  if (code === 'EACCES') return new ServiceError('forbidden', `This user may not read ${file}.`, { cause: error });
  if (code === 'ENOSPC') {
    const words = `The disk is full: the contents of ${file} could not be written.`;
    return new ServiceError('store_failed', words, { cause: error });
  }
  return damaged(file, errorMessage(error), error);
}

export const damaged = (file: string, what: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'store_failed',
    `${file} is damaged, incomplete, or no backup of Citewell (${what.replace(/\.$/, '')}). Use another backup.`,
    { cause },
  );

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
