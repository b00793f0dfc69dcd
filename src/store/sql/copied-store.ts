import type { Kysely } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Tables } from './schema.ts';

/** In the settings of a database that a copy is written to, until it is complete: a `CopyMark` as JSON. */
const TARGET_MARK = 'copied_from';
/** In the settings of a database that is copied: a token, which goes when a server opens it. */
const SOURCE_MARK = 'copied_as';

/** Settings that belong to one database, and are neither copied nor compared. */
export const OWN_SETTINGS: readonly string[] = [
  TARGET_MARK,
  SOURCE_MARK,
  'index_left_in_step',
  'analyser_version',
  'lowest_schema',
  'vector_index',
  'settings_of_servers',
];

export interface CopyMark {
  /** Of the database that is copied, for messages. */
  readonly source: string;
  /** The token of the source when the copy began: while it is there, nothing has been changed since. */
  readonly token: string;
}

async function read(database: Kysely<Tables>, name: string): Promise<string | undefined> {
  const row = await database.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

const write = (database: Kysely<Tables>, name: string, value: string) =>
  database.insertInto('settings').values({ name, value }).execute();

const remove = (database: Kysely<Tables>, name: string) =>
  database.deleteFrom('settings').where('name', '=', name).execute();

/** The mark of an incomplete copy. */
export async function readCopyMark(target: Kysely<Tables>): Promise<CopyMark | undefined> {
  const value = await read(target, TARGET_MARK);
  return value === undefined ? undefined : (JSON.parse(value) as CopyMark);
}

export const writeCopyMark = (target: Kysely<Tables>, mark: CopyMark) =>
  write(target, TARGET_MARK, JSON.stringify(mark));

export const removeCopyMark = (target: Kysely<Tables>) => remove(target, TARGET_MARK);

export const readSourceToken = (source: Kysely<Tables>) => read(source, SOURCE_MARK);

export const writeSourceToken = (source: Kysely<Tables>, token: string) => write(source, SOURCE_MARK, token);

/** A copy that was begun before is begun anew: the records may change from now on. */
export const removeSourceToken = (source: Kysely<Tables>) => remove(source, SOURCE_MARK);

/** Throws `conflict` where the database is an incomplete copy. */
export async function refuseIncompleteCopy(database: Kysely<Tables>, name: string): Promise<void> {
  const mark = await readCopyMark(database);
  if (mark === undefined) return;
  throw new ServiceError(
    'conflict',
    `The database ${name} is an incomplete copy of ${mark.source}. Run "citewell migrate store" or "citewell restore", whichever began it, again: it continues.`,
  );
}
