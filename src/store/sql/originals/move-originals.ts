import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import { ServiceError } from '../../../errors.ts';
import { factsOf, newObjectName } from '../../originals/object-name.ts';
import type { ObjectStore } from '../../originals/object-store.ts';
import { nameDocument } from '../../originals/originals-found.ts';
import { DamagedObject, MissingObject, readObject, streamObject } from '../../originals/read-object.ts';
import type { Database } from '../database.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { documentOfObject } from './missing-originals.ts';
import { confirmObjects, noteObjects } from './object-notes.ts';
import { removeUnneeded } from './object-removals.ts';
import { claimStorage, ORIGINALS_SETTINGS, readPlace, releaseStorage, writePlace } from './originals-place.ts';
import { endHolds } from './removal-holds.ts';

export interface MoveEvent {
  readonly type: 'began' | 'progress' | 'done';
  readonly files: number;
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
}

export interface MoveParts {
  /** No other process may use it meanwhile. */
  readonly database: Pick<Database, 'writer' | 'reader'>;
  readonly objects: ObjectStore;
  readonly signal: AbortSignal;
}

const TABLES = [
  { name: 'document_files', key: 'document_key' },
  { name: 'version_files', key: 'version_key' },
  { name: 'visible_originals', key: 'document_key' },
] as const;

/** Maximum size of a batch, unless a single file is larger. */
const BATCH_BYTES = 32_000_000;
const BATCH_FILES = 50;
const CONCURRENCY = 8;

interface Row {
  readonly key: number;
  readonly size: number;
  readonly object: string | null;
}

/**
 * Moves all originals from the database to an object storage. Each is read back and compared before its record refers
 * to it. Calling this again continues an interrupted move.
 */
export async function* moveToObjects({ database, objects, signal }: MoveParts): AsyncGenerator<MoveEvent, void> {
  const { writer } = database;
  await requirePlace(writer, objects, 'there');
  await claimStorage(writer, objects);
  await writePlace(writer, { place: objects.place, moving: 'there' });
  const tally = await begin(writer, sql`object is null`, sql`octet_length(bytes)`);
  yield { type: 'began', ...tally };
  for (const table of TABLES) {
    for await (const rows of batches(writer, table, sql`object is null`)) {
      signal.throwIfAborted();
      const limit = pLimit(CONCURRENCY);
      const stored = await settled(rows.map((row) => limit(() => putOne(database, objects, { table, row, signal }))));
      await writer.transaction().execute(async (transaction) => {
        const names = stored.map(({ object }) => object);
        await confirmObjects(transaction, names);
        for (const { key, object } of stored) {
          const columns = sql`bytes = ${new Uint8Array()}, object = ${object}`;
          await sql`update ${sql.table(table.name)} set ${columns} where ${sql.ref(table.key)} = ${key}`.execute(
            transaction,
          );
        }
      });
      yield { type: 'progress', ...tally.add(rows) };
    }
  }
  await writePlace(writer, { place: objects.place });
  yield { type: 'done', ...tally };
}

/**
 * Moves all originals from an object storage to the database, then removes the objects. Resumes like `moveToObjects`.
 */
export async function* moveToDatabase({ database, objects, signal }: MoveParts): AsyncGenerator<MoveEvent, void> {
  const { writer } = database;
  await requirePlace(writer, objects, 'back');
  await claimStorage(writer, objects);
  await writePlace(writer, { place: objects.place, moving: 'back' });
  const remedy =
    `Bring the object back from a version of the bucket or a copy of it; or run "citewell migrate originals --to ` +
    `${objects.place}", delete this document with the server running, and move the files again.`;
  yield* fillFromObjects({ database, objects, signal, remedy });
  await removeUnneeded(database, objects, signal);
  await releaseStorage(objects);
  await writePlace(writer, undefined);
}

/**
 * Makes a copy of a database self-contained: its records get the bytes of their objects, which remain in the storage.
 * Throws `MissingObject` if one is missing, and an error that names the document if one is damaged.
 */
export async function* fillCopy(parts: MoveParts): AsyncGenerator<MoveEvent, void> {
  const { writer } = parts.database;
  const remedy =
    'Bring the object back from a version of the bucket or a copy of it, or delete this document and upload it again.';
  yield* fillFromObjects({ ...parts, remedy });
  await endHolds(writer);
  await writer.deleteFrom('object_removals').execute();
  await writer.deleteFrom('settings').where('name', 'in', ORIGINALS_SETTINGS).execute();
}

interface FillParts extends MoveParts {
  /** What to do about a file that is missing or damaged; a sentence for users. */
  readonly remedy: string;
}

async function* fillFromObjects(parts: FillParts): AsyncGenerator<MoveEvent, void> {
  const { writer } = parts.database;
  const { signal } = parts;
  const tally = await begin(writer, sql`object is not null`, sizeInName);
  yield { type: 'began', ...tally };
  for (const table of TABLES) {
    for await (const rows of batches(writer, table, sql`object is not null`)) {
      signal.throwIfAborted();
      const limit = pLimit(CONCURRENCY);
      const read = await settled(
        rows.map(({ key, object }) => limit(async () => ({ key, bytes: await readNamed(object ?? '', parts) }))),
      );
      await writer.transaction().execute(async (transaction) => {
        for (const { key, bytes } of read) await restoreToDatabase(transaction, table, key, bytes);
      });
      yield { type: 'progress', ...tally.add(rows) };
    }
  }
  yield { type: 'done', ...tally };
}

/** Reads an object; if it is missing or damaged, the error names its document. */
async function readNamed(object: string, { database, objects, signal, remedy }: FillParts): Promise<Uint8Array> {
  try {
    return await readObject(objects, object, signal);
  } catch (error) {
    const isMissing = error instanceof MissingObject;
    if (!isMissing && !(error instanceof DamagedObject)) throw error;
    const document = await documentOfObject(database.writer, object);
    if (document === undefined) throw error;
    const where = `${object} in ${objects.name}`;
    const what = isMissing
      ? `missing: there is no object ${where}`
      : `damaged: the bytes of the object ${where} differ from those that were uploaded`;
    const message = `The stored file of ${nameDocument(document)} is ${what}. ${remedy}`;
    throw isMissing
      ? new MissingObject('store_failed', message, { cause: error })
      : new ServiceError('store_failed', message, { cause: error });
  }
}

async function requirePlace(writer: Queries, objects: ObjectStore, moving: 'there' | 'back'): Promise<void> {
  const recorded = await readPlace(writer);
  if (recorded === undefined ? moving === 'there' : recorded.place === objects.place) return;
  throw new ServiceError(
    'conflict',
    recorded === undefined
      ? 'The originals are in the database already.'
      : `The originals are in ${recorded.place}. Copy all objects to ${objects.place} with an object storage tool, and ` +
          'set CITEWELL_ORIGINALS to it; or move them to the database first (--to database).',
  );
}

/** Writes an object, reads it back and compares. */
async function putOne(
  { writer, reader }: MoveParts['database'],
  objects: ObjectStore,
  { table, row, signal }: { table: (typeof TABLES)[number]; row: Row; signal: AbortSignal },
): Promise<{ readonly key: number; readonly object: string }> {
  const { rows } = await sql<{ bytes: Uint8Array }>`
    select bytes from ${sql.table(table.name)} where ${sql.ref(table.key)} = ${row.key}`.execute(reader);
  const [found] = rows;
  if (found === undefined) throw new ServiceError('conflict', 'The database is being changed by another program.');
  const { bytes } = found;
  const hash = createHash('sha256').update(bytes).digest('hex');
  const object = newObjectName({ hash, size: bytes.byteLength });
  await noteObjects(writer, [object]);
  await objects.put(object, bytes, signal);
  for await (const _ of streamObject(objects, object, { signal })) signal.throwIfAborted();
  return { key: row.key, object };
}

async function restoreToDatabase(
  transaction: Queries,
  { name, key: keyColumn }: (typeof TABLES)[number],
  key: number,
  bytes: Uint8Array,
): Promise<void> {
  try {
    const columns = sql`bytes = ${bytes}, object = null`;
    await sql`update ${sql.table(name)} set ${columns} where ${sql.ref(keyColumn)} = ${key}`.execute(transaction);
  } catch (error) {
    throw new ServiceError(
      'store_failed',
      `A file of ${Math.ceil(bytes.byteLength / 1e6)} MB (${name}, ${keyColumn} ${key}) could not be written to the ` +
        'database. PostgreSQL accepts no files larger than about 250 MB: delete such documents first.',
      { cause: error },
    );
  }
}

/** Waits for all promises even if one fails, so that none keeps running unobserved. */
async function settled<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

type Condition = ReturnType<typeof sql>;

/** Names of objects are `<hash>-<size>-<random>`. */
const sizeInName = sql`cast(substr(object, 66, length(object) - 82) as bigint)`;

async function begin(writer: Queries, condition: Condition, size: Condition) {
  let [totalFiles, totalBytes] = [0, 0];
  for (const { name } of TABLES) {
    const { rows } = await sql<{ files: number; bytes: number | null }>`
      select count(*) as files, sum(${size}) as bytes from ${sql.table(name)} where ${condition}`.execute(writer);
    totalFiles += Number(rows[0]?.files ?? 0);
    totalBytes += Number(rows[0]?.bytes ?? 0);
  }
  return {
    files: 0,
    bytes: 0,
    totalFiles,
    totalBytes,
    add(rows: readonly Row[]) {
      this.files += rows.length;
      this.bytes += rows.reduce((sum, { size: each }) => sum + each, 0);
      const { files, bytes } = this;
      return { files, bytes, totalFiles, totalBytes };
    },
  };
}

/** The rows that are to be moved, by key, in batches that fit into memory. */
async function* batches(
  writer: Queries,
  { name, key }: (typeof TABLES)[number],
  condition: Condition,
): AsyncGenerator<readonly Row[], void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ key: number; size: number; object: string | null }>`
      select ${sql.ref(key)} as key, octet_length(bytes) as size, object from ${sql.table(name)}
      where ${condition} and ${sql.ref(key)} > ${last} order by ${sql.ref(key)} limit ${sql.lit(BATCH_FILES)}`.execute(
      writer,
    );
    if (rows.length === 0) return;
    let batch: Row[] = [];
    let bytes = 0;
    for (const row of rows) {
      const size = row.object === null ? row.size : factsOf(row.object).size;
      if (batch.length > 0 && bytes + size > BATCH_BYTES) break;
      batch = [...batch, { ...row, size }];
      bytes += size;
    }
    yield batch;
    last = batch.at(-1)?.key ?? last;
  }
}
