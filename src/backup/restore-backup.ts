import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { ServiceError } from '../errors.ts';
import { byteCount } from '../shared/byte-count.ts';
import { DATABASE_FILE, openDataFolder, UNFINISHED } from '../store/data-folder.ts';
import { findDamage } from '../store/sql/check-database.ts';
import { databaseFacts } from '../store/sql/database-facts.ts';
import { isKnownStep } from '../store/sql/sqlite/migrate.ts';
import {
  BACKUP_FORMAT,
  type BackupManifest,
  backupChecksums,
  backupManifest,
  CHECKSUMS_FILE,
  MANIFEST_FILE,
} from './backup-manifest.ts';
import { damaged, openArchive, readFailure, type SealOptions } from './seal.ts';

/**
 * Restores a backup to an empty data folder. The database appears there only after everything has been read and
 * checked; after an interruption, the folder still counts as empty.
 */
export async function restoreBackup(file: string, dataFolder: string, options: SealOptions): Promise<BackupManifest> {
  await requireEmpty(dataFolder);
  const folder = await openDataFolder(dataFolder);
  try {
    const target = folder.unfinishedFolder;
    const { manifest, names } = await unpackChecked(file, target, options);
    await Promise.all(names.map((name) => flush(join(target, name))));
    for (const name of new Set(names.filter((each) => each.includes('/')).map((each) => dirname(each)))) {
      await flush(join(target, name)).catch(() => undefined);
      await rename(join(target, name), join(folder.path, name));
    }
    // The database is moved last: without it, the folder counts as empty.
    await rename(join(target, DATABASE_FILE), folder.databaseFile);
    await flush(folder.path).catch(() => undefined);
    return manifest;
  } finally {
    await rm(folder.unfinishedFolder, { recursive: true, force: true });
    await folder.close();
  }
}

/** Makes all checks of a restoration, in a temporary folder. */
export async function verifyBackup(file: string, options: SealOptions): Promise<BackupManifest> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-verify-'));
  try {
    return (await unpackChecked(file, folder, options)).manifest;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files that a data folder may contain and still count as empty; processes create most of them when they open it. */
const TRANSIENT = /^(?:lock(?:-successor)?(?:-journal)?|holder\.json(?:\..*)?|lost\+found)$/;

async function requireEmpty(dataFolder: string): Promise<void> {
  const found = await readdir(dataFolder).catch((error: NodeJS.ErrnoException): string[] => {
    // `openDataFolder` reports these errors.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EACCES') return [];
    throw error;
  });
  const isInterrupted = found.includes(UNFINISHED) && !found.includes(DATABASE_FILE);
  const kept = isInterrupted ? [UNFINISHED, ...RESTORED_FOLDERS] : [];
  const others = found.filter((name) => !TRANSIENT.test(name) && !kept.includes(name));
  if (others.length > 0) {
    throw new ServiceError(
      'conflict',
      `The data folder ${dataFolder} is not empty (${others.slice(0, 3).join(', ')}${others.length > 3 ? ', …' : ''}). ` +
        'Choose a new one with CITEWELL_DATA_DIR, or move this one away.',
    );
  }
  // Remove the folders that an interrupted restoration has already moved.
  if (isInterrupted) {
    for (const name of RESTORED_FOLDERS) await rm(join(dataFolder, name), { recursive: true, force: true });
  }
}

const RESTORED_FOLDERS = ['evaluations'];
const NAMES = /^(?:citewell\.db|evaluations\/[^/\\]+\.json)$/;

/**
 * Reads a backup, verifies it completely, and writes its files to a folder. The returned names are relative to the
 * folder; the database is a SQLite file.
 */
export async function unpackChecked(
  file: string,
  folder: string,
  options: SealOptions,
): Promise<{ readonly manifest: BackupManifest; readonly names: readonly string[] }> {
  try {
    const unpacked = await unpack(file, folder, options);
    const database = join(folder, DATABASE_FILE);
    const damage = findDamage(database);
    if (damage.length > 0) throw damaged(file, `its database is damaged: ${damage.join('; ')}`);
    const { documents, chunks, schema } = databaseFacts(database);
    const { manifest } = unpacked;
    if (documents !== manifest.documents || chunks !== manifest.chunks || schema !== manifest.schema) {
      throw damaged(file, 'its database does not match the manifest');
    }
    return unpacked;
  } catch (error) {
    throw readFailure(error, file, options.signal);
  }
}

async function unpack(file: string, folder: string, options: SealOptions) {
  const sums = new Map<string, string>();
  let manifest: BackupManifest | undefined;
  let isComplete = false;
  // Read to the end of the file, where compression and encryption have checksums of their own.
  for await (const entry of archiveEntries(file, options)) {
    const { name } = entry.header;
    if (isComplete) {
      throw damaged(file, `${name} follows its end`);
    } else if (manifest === undefined) {
      if (name !== MANIFEST_FILE) throw damaged(file, 'it has no manifest');
      const read = await readJson(entry);
      sums.set(name, read.sum);
      try {
        manifest = readManifest(read.value, file);
        await requireFreeSpace(folder, manifest);
      } catch (refusal) {
        // A damaged manifest can claim any version and any size.
        await requireUndamaged(file, options);
        throw refusal;
      }
    } else if (name === CHECKSUMS_FILE) {
      await requireChecksums(entry, sums, file);
      if (!sums.has(DATABASE_FILE)) throw damaged(file, 'it has no database');
      isComplete = true;
    } else {
      if (!NAMES.test(name) || sums.has(name)) throw damaged(file, `it contains "${name}"`);
      sums.set(name, await writeEntry(entry, join(folder, name)));
    }
  }
  if (manifest === undefined || !isComplete) throw damaged(file, 'it ends too early');
  return { manifest, names: [...sums.keys()].filter((each) => each !== MANIFEST_FILE) };
}

const archiveEntries = (file: string, options: SealOptions): ReadableStream<ParsedTarEntry> =>
  ReadableStream.from(openArchive(file, options)).pipeThrough(createTarDecoder({ strict: true }));

/** @throws {ServiceError} if a file of the archive is missing, was added or differs. */
async function requireChecksums(entry: ParsedTarEntry, sums: ReadonlyMap<string, string>, file: string): Promise<void> {
  const wanted = backupChecksums.parse((await readJson(entry)).value);
  const names = new Set([...Object.keys(wanted), ...sums.keys()]);
  const differing = [...names].find((each) => wanted[each] !== sums.get(each));
  if (differing !== undefined) throw damaged(file, `the checksum of ${differing} differs`);
}

/** Reads the whole archive without storing anything. @throws {ServiceError} if a checksum differs. */
async function requireUndamaged(file: string, options: SealOptions): Promise<void> {
  const sums = new Map<string, string>();
  for await (const entry of archiveEntries(file, options)) {
    const { name } = entry.header;
    if (name === CHECKSUMS_FILE) {
      await requireChecksums(entry, sums, file);
      continue;
    }
    const hash = createHash('sha256');
    for await (const piece of entry.body) hash.update(piece);
    sums.set(name, hash.digest('hex'));
  }
}

const MAX_JSON_BYTES = 1_000_000;

async function readJson({ header, body }: ParsedTarEntry): Promise<{ readonly value: unknown; readonly sum: string }> {
  if (header.size > MAX_JSON_BYTES) throw new Error(`${header.name} is too large`);
  const hash = createHash('sha256');
  const value = await json(hashing(body, hash));
  return { value, sum: hash.digest('hex') };
}

async function writeEntry({ body }: ParsedTarEntry, path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  await pipeline(hashing(body, hash), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  await chmod(path, 0o600);
  return hash.digest('hex');
}

const hashing = (body: AsyncIterable<Uint8Array>, hash: { update(piece: Uint8Array): unknown }): Readable =>
  Readable.from(
    (async function* () {
      for await (const piece of body) {
        hash.update(piece);
        yield piece;
      }
    })(),
  );

function readManifest(value: unknown, file: string): BackupManifest {
  const { format, citewell } = backupManifest.pick({ format: true, citewell: true }).parse(value);
  const isNewer = format > BACKUP_FORMAT;
  const manifest = isNewer ? undefined : backupManifest.parse(value);
  if (manifest !== undefined && isKnownStep(manifest.schema)) return manifest;
  const by = manifest === undefined ? `format ${format}` : `step ${manifest.schema}`;
  throw new ServiceError(
    'store_failed',
    `${file} was made by a newer version of Citewell (${citewell}, ${by}). Install that version to restore it.`,
  );
}

async function requireFreeSpace(folder: string, { bytes }: BackupManifest): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  throw new ServiceError(
    'store_failed',
    `The backup holds ${byteCount(bytes)}, and the disk of ${folder} has ${byteCount(bavail * bsize)} free. ` +
      'Free some space, or choose another disk with CITEWELL_DATA_DIR (TMPDIR for "backup verify").',
  );
}

export async function flush(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
