import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { jsonOrUndefined } from '../../../shared/text.ts';
import type { ObjectStore } from '../../originals/object-store.ts';
import type { Database } from '../database.ts';
import { raiseWorksFrom } from '../migrations/run-steps.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Setting with a `RecordedPlace` as JSON; missing while the originals are in the database. */
const PLACE = 'originals';
/** Setting with a random identifier that marks a storage as that of this database, whatever its address. */
const ID = 'originals_id';
/** The object that holds this identifier, so that two databases do not remove each other's objects. */
const MARKER = 'citewell.json';
/**
 * The schema step that introduced objects. Servers of earlier versions would take a record's empty bytes for the file.
 */
const KNOWN_SINCE = 21;

/** The settings that must be missing in a copy of a database that contains its originals. */
export const ORIGINALS_SETTINGS: readonly string[] = [PLACE, ID];

/** Where the originals of a database are. */
export interface RecordedPlace {
  /** For example `s3://bucket/prefix`. */
  readonly place: string;
  /** Set during a move to (`there`) or from (`back`) the storage, when some originals are in the database. */
  readonly moving?: 'there' | 'back';
}

export async function readPlace(database: Queries): Promise<RecordedPlace | undefined> {
  const value = await readSetting(database, PLACE);
  return value === undefined ? undefined : (JSON.parse(value) as RecordedPlace);
}

/** Records the place; undefined for the database. Requires a transaction if other servers may use the database. */
export async function writePlace(database: Queries, place: RecordedPlace | undefined): Promise<void> {
  if (place === undefined) {
    await database.deleteFrom('settings').where('name', '=', PLACE).execute();
    return;
  }
  await writeSetting(database, PLACE, JSON.stringify(place));
  await raiseWorksFrom(database, KNOWN_SINCE);
}

interface EnsurePlaceParts extends Pick<Database, 'writer'> {
  readonly objects: ObjectStore | undefined;
  readonly report?: ((message: string, cause?: unknown) => void) | undefined;
}

/**
 * Makes sure that this server stores and reads originals in the place where the database has them. Throws `conflict` if
 * the places differ, and `store_failed` if the storage refuses access, or does not answer when it is used for the first
 * time. Servers that share the database have the same configuration, and may call this concurrently.
 */
export async function ensurePlace(parts: EnsurePlaceParts): Promise<void> {
  const { writer, objects, report } = parts;
  // Read before the place: originals that another server stores meanwhile are in the place that it has recorded.
  const hasOriginals = await holdsOriginals(writer);
  const recorded = await readPlace(writer);
  if (recorded?.moving !== undefined) throw incompleteMove(recorded);
  if (objects === undefined && recorded === undefined) return;
  if (objects !== undefined && recorded !== undefined) return recognise(writer, { objects, recorded, report });
  if (hasOriginals) throw disagreement(objects, recorded);
  await changePlace(writer, objects);
}

/** Records another place for a database without originals. */
async function changePlace(writer: Queries, objects: ObjectStore | undefined): Promise<void> {
  if (objects !== undefined) await claimStorage(writer, objects);
  await writer.transaction().execute(async (transaction) => {
    const present = await readPlace(transaction);
    // Another server has just recorded it.
    if (present?.place === objects?.place) return;
    if (await holdsOriginals(transaction)) throw disagreement(objects, present);
    await writePlace(transaction, objects && { place: objects.place });
  });
}

/** Verifies that `objects` is the recorded storage, whose address may have changed. */
async function recognise(
  writer: Queries,
  { objects, recorded, report }: Pick<EnsurePlaceParts, 'report'> & { objects: ObjectStore; recorded: RecordedPlace },
): Promise<void> {
  let found: string | undefined;
  try {
    found = await readMarker(objects);
  } catch (error) {
    const isUnavailable = error instanceof ServiceError && error.retryAfter !== undefined;
    // Searches and answers must still work while the storage is unavailable.
    if (!isUnavailable || recorded.place !== objects.place) throw error;
    report?.(error.message);
    return;
  }
  if (found === undefined && !(await holdsOriginals(writer)) && !(await hasRemovals(writer))) {
    // Nothing has been stored yet, so a wrong first setting can be corrected.
    return changePlace(writer, objects);
  }
  if (found === undefined || found !== (await readSetting(writer, ID))) {
    const what = found === undefined ? 'no originals' : 'those of another database';
    throw new ServiceError(
      'conflict',
      `The originals of this database are in ${recorded.place}, and CITEWELL_ORIGINALS leads to ${objects.name}, which ` +
        `has ${what}. Set it as it was, or copy the bucket with all objects there first.`,
    );
  }
  // Written again even if unchanged: in a copy of the database, this keeps servers of earlier versions out.
  await writer.transaction().execute((transaction) => writePlace(transaction, { place: objects.place }));
}

/** Claims a storage for this database. Throws `conflict` if it belongs to another database. */
export async function claimStorage(writer: Queries, objects: ObjectStore): Promise<void> {
  // If servers start at the same time, the first one sets the identifier.
  await writer
    .insertInto('settings')
    .values({ name: ID, value: randomUUID() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const id = await readSetting(writer, ID);
  if ((await readMarker(objects)) === undefined) {
    const marker = { format: 1, database: id, made_by: 'citewell' };
    await objects.put(MARKER, Buffer.from(`${JSON.stringify(marker)}\n`));
  }
  // Read again: another database may have written its own marker meanwhile.
  const found = await readMarker(objects);
  if (found === id) return;
  throw new ServiceError(
    'conflict',
    `${objects.name} has the originals of another database, which would remove those of this one. Add a prefix of its ` +
      'own to CITEWELL_ORIGINALS, such as s3://bucket/citewell-2.',
  );
}

/** Gives up the claim on a storage that no longer holds originals. */
export const releaseStorage = (objects: ObjectStore): Promise<void> => objects.remove(MARKER);

/** The identifier of the database that has claimed the storage; undefined if none has. */
async function readMarker(objects: ObjectStore): Promise<string | undefined> {
  const pieces = await objects.get(MARKER);
  if (pieces === undefined) return undefined;
  const marker = jsonOrUndefined(Buffer.concat(await Array.fromAsync(pieces)).toString());
  const isMarker = typeof marker === 'object' && marker !== null && 'database' in marker;
  if (isMarker && typeof marker.database === 'string') return marker.database;
  throw new ServiceError(
    'conflict',
    `${MARKER} in ${objects.name} was not written by Citewell. Choose another prefix.`,
  );
}

async function holdsOriginals(database: Queries): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select exists (select 1 from document_files) or exists (select 1 from version_files) as found`.execute(database);
  return rows[0]?.found === 1;
}

async function hasRemovals(database: Queries): Promise<boolean> {
  return (await database.selectFrom('object_removals').select('object').limit(1).execute()).length > 0;
}

function disagreement(objects: ObjectStore | undefined, recorded: RecordedPlace | undefined): ServiceError {
  const here = recorded === undefined ? 'in the database' : `in ${recorded.place}`;
  const wanted = objects === undefined ? 'is not set' : `names ${objects.place}`;
  return new ServiceError(
    'conflict',
    `The originals of this database are ${here}, and CITEWELL_ORIGINALS ${wanted}: set it as it was, or stop all servers ` +
      `and run "citewell migrate originals --to ${objects?.place ?? 'database'}".`,
  );
}

const incompleteMove = ({ moving, place }: RecordedPlace): ServiceError =>
  new ServiceError(
    'conflict',
    `Moving the originals was interrupted: some are in ${place}, others in the database. Run "citewell migrate ` +
      `originals --to ${moving === 'there' ? place : 'database'}" again: it continues.`,
  );

async function readSetting(database: Queries, name: string): Promise<string | undefined> {
  return (await database.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;
}

const writeSetting = (database: Queries, name: string, value: string) =>
  database
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
