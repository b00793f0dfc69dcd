import type { Kysely } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Tables } from './schema.ts';

/** Setting of a copy's target database until the copy is complete: a `CopyMark` as JSON. */
const TARGET_MARK = 'copied_from';
/** Setting of a copy's source database: a token, which is removed when a server opens the database. */
const SOURCE_MARK = 'copied_as';

/** Settings specific to one database, which are neither copied nor compared. */
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
  /** Name of the database that is copied, for messages. */
  readonly source: string;
  /** The source's token when the copy began. While the source still has it, the source is unchanged. */
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

/** The mark of an incomplete copy; undefined if the database is not one. */
export async function readCopyMark(target: Kysely<Tables>): Promise<CopyMark | undefined> {
  const value = await read(target, TARGET_MARK);
  return value === undefined ? undefined : (JSON.parse(value) as CopyMark);
}

export const writeCopyMark = (target: Kysely<Tables>, mark: CopyMark) =>
  write(target, TARGET_MARK, JSON.stringify(mark));

export const removeCopyMark = (target: Kysely<Tables>) => remove(target, TARGET_MARK);

export const readSourceToken = (source: Kysely<Tables>) => read(source, SOURCE_MARK);

export const writeSourceToken = (source: Kysely<Tables>, token: string) => write(source, SOURCE_MARK, token);

/** Invalidates copies begun earlier, since the records may change from now on: they start over. */
export const removeSourceToken = (source: Kysely<Tables>) => remove(source, SOURCE_MARK);

/** Throws `conflict` if the database is an incomplete copy. */
export async function refuseIncompleteCopy(database: Kysely<Tables>, name: string): Promise<void> {
  const mark = await readCopyMark(database);
  if (mark === undefined) return;
  throw new ServiceError(
    'conflict',
    `The database ${name} is an incomplete copy of ${mark.source}. Run "citewell migrate store" or "citewell restore", whichever began it, again: it continues.`,
  );
}
