import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';
import type { StorageEngine } from 'multer';
import { newId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { createSizeGuard } from '../ingest/readers/size-limit.ts';
import { markTransferable } from '../shared/transferable-bytes.ts';

/** A file of a multipart form, on disk until it is read or the request ends. */
export interface StoredUpload {
  readonly path: string;
  readonly size: number;
  /** SHA-256 in hexadecimal. */
  readonly contentHash: string;
}

/** Folder for incoming files if none in the data folder is given. */
const FALLBACK = join(tmpdir(), `citewell-uploads-${process.getuid?.() ?? ''}`);

interface UploadStorageOptions {
  readonly folder: string | undefined;
  /** Whether a file may not be larger than its format allows. */
  readonly limitsFormats: boolean;
}

/** Streams files of multipart forms to a folder. A file that is interrupted or too large is removed. */
export function uploadStorage({ folder = FALLBACK, limitsFormats }: UploadStorageOptions): StorageEngine {
  async function write(request: Request, file: Express.Multer.File): Promise<StoredUpload> {
    const { stream, originalname: fileName, mimetype: mediaType } = file;
    const path = join(folder, newId());
    const hash = createHash('sha256');
    let size = 0;
    const guard = limitsFormats ? createSizeGuard({ fileName, mediaType }) : undefined;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        hash.update(chunk);
        if (guard === undefined) done(null, chunk);
        else guard(chunk).then(() => done(null, chunk), done);
      },
    });
    const disconnected = new AbortController();
    const onClose = () => {
      if (!request.complete) disconnected.abort();
    };
    request.once('close', onClose);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Readable by this user only.
      await pipeline(stream, counted, createWriteStream(path, { mode: 0o600, flags: 'wx' }), {
        signal: disconnected.signal,
      });
      return { path, size, contentHash: hash.digest('hex') };
    } catch (error) {
      await removeUpload(path);
      throw disconnected.signal.aborted || error instanceof ServiceError ? error : notStored(error);
    } finally {
      request.off('close', onClose);
    }
  }

  return {
    _handleFile(request, file, done) {
      write(request, file).then(
        (stored) => done(null, stored as Partial<Express.Multer.File>),
        (error: unknown) => done(error),
      );
    },
    _removeFile(_request, file, done) {
      removeUpload(file.path).then(() => done(null), done);
    },
  };
}

export const removeUpload = (path: string): Promise<void> => rm(path, { force: true });

/** Reads the content and removes the file. */
export async function takeUpload({ path }: Pick<StoredUpload, 'path'>): Promise<Uint8Array> {
  try {
    return markTransferable(await readFile(path));
  } catch (error) {
    throw notStored(error);
  } finally {
    await removeUpload(path);
  }
}

function notStored(cause: unknown): ServiceError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  const why = code === 'ENOSPC' ? 'its disk is full' : `the system answered ${code}`;
  return new ServiceError(
    'store_failed',
    `This service could not keep the upload while it arrived: ${why}. Free some space in its data folder.`,
    { cause },
  );
}
