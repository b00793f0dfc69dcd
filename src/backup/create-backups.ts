import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createTarPacker, type TarEntry } from 'modern-tar';
import { ServiceError } from '../errors.ts';
import { DATABASE_FILE, type DataFolder } from '../store/data-folder.ts';
import { databaseFacts } from '../store/sql/database-facts.ts';
import type { CopiedBytes, Store } from '../store/store.ts';
import { BACKUP_FORMAT, type BackupManifest, CHECKSUMS_FILE, MANIFEST_FILE } from './backup-manifest.ts';

/** A backup that is ready to be read as a tar archive. */
export interface Backup {
  /** Total size of its files in bytes; the archive adds some hundred bytes per file. */
  readonly bytes: number;
  /** Must be read to its end or closed with `return()`, which deletes the temporary copy of the database. */
  readonly content: AsyncGenerator<Uint8Array, void>;
}

export interface Backups {
  /** Copies the current database without blocking readers or writers. Throws `conflict` during another backup. */
  begin(signal?: AbortSignal): Promise<Backup>;
  /** Progress of the copy that `begin` makes; undefined if none is being made. */
  copying(): Promise<CopiedBytes | undefined>;
}

interface BackupsParts {
  readonly store: Pick<Store, 'snapshot'>;
  readonly folder: Pick<DataFolder, 'path' | 'databaseFile' | 'unfinishedFolder'>;
  readonly version: string;
}

/** Folders of the data folder that are backed up as well as the database; their files are small. */
const FOLDERS = ['evaluations'];

/**
 * Backups of an open data folder. They contain all stored data: documents with their originals and earlier
 * versions, vectors, users, conversations, settings and evaluations. The vector index is rebuilt from the database.
 */
export function createBackups({ store, folder, version }: BackupsParts): Backups {
  let isBusy = false;
  let copied: { readonly file: string; readonly progress?: CopiedBytes } | undefined;
  return {
    async copying() {
      if (copied === undefined) return undefined;
      if (copied.progress !== undefined) return copied.progress;
      // SQLite does not report progress, so the size of the copy is compared with that of the database.
      const [done, total] = await Promise.all([copied.file, folder.databaseFile].map(sizeOf));
      return done === undefined || total === undefined ? undefined : { done: Math.min(done, total), total };
    },
    async begin(signal) {
      if (store.snapshot === undefined) {
        const words = 'This store cannot be copied while it is open. Use the tools of its database.';
        throw new ServiceError('not_configured', words);
      }
      if (isBusy) throw new ServiceError('conflict', 'Another backup is being made. Try again when it is finished.');
      isBusy = true;
      const copy = join(folder.unfinishedFolder, `backup-${randomUUID()}.db`);
      const end = async () => {
        copied = undefined;
        await rm(copy, { force: true });
        isBusy = false;
      };
      try {
        await mkdir(folder.unfinishedFolder, { recursive: true, mode: 0o700 });
        copied = { file: copy };
        await store.snapshot(copy, signal, (progress) => {
          copied = { file: copy, progress };
        });
        copied = undefined;
        const files = await filesOf(folder.path, copy);
        const bytes = files.reduce((sum, { size }) => sum + size, 0);
        const created_at = new Date().toISOString();
        const manifest = { format: BACKUP_FORMAT, citewell: version, created_at, ...databaseFacts(copy), bytes };
        return { bytes, content: archive(manifest, files, end) };
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}

const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  );

interface BackedUpFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

async function filesOf(dataFolder: string, databaseCopy: string): Promise<BackedUpFile[]> {
  const files = [{ name: DATABASE_FILE, path: databaseCopy, size: (await stat(databaseCopy)).size }];
  for (const folder of FOLDERS) {
    const found = await readdir(join(dataFolder, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of found) {
      if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
      const path = join(dataFolder, folder, entry.name);
      files.push({ name: `${folder}/${entry.name}`, path, size: (await stat(path)).size });
    }
  }
  return files;
}

async function* archive(
  manifest: BackupManifest,
  files: readonly BackedUpFile[],
  end: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  const { readable, controller } = createTarPacker();
  const checksums: Record<string, string> = {};
  const mtime = new Date(manifest.created_at);
  const add = async (name: string, size: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
    const header: TarEntry['header'] = { name, size, mode: 0o600, mtime };
    const hash = createHash('sha256');
    await ReadableStream.from(hashed(content, hash)).pipeTo(controller.add(header));
    checksums[name] = hash.digest('hex');
  };
  const addJson = (name: string, value: object) => {
    const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
    return add(name, bytes.length, [bytes]);
  };
  const fill = async () => {
    await addJson(MANIFEST_FILE, manifest);
    // Reads only up to the size recorded in the entry, because a file may have grown since.
    for (const { name, path, size } of files) {
      await add(name, size, size === 0 ? [] : createReadStream(path, { end: size - 1, highWaterMark: PIECE }));
    }
    await addJson(CHECKSUMS_FILE, { ...checksums });
    controller.finalize();
  };
  try {
    fill().catch((error: unknown) => controller.error(error));
    // Not `yield*`: its reader may end this generator with an error, which the iterator of a ReadableStream cannot take.
    for await (const piece of readable) yield piece;
  } finally {
    await end();
  }
}

const PIECE = 256 * 1024;

async function* hashed(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, hash: Hash) {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}
