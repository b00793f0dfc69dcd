import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { ServiceError } from '../../../errors.ts';
import type { Tables } from '../schema.ts';

export interface Step {
  up(database: Kysely<Tables>): Promise<void>;
  /** See `SharedStep`; undefined if every server has to stop before this step. */
  readonly worksFrom?: number;
}

export type Steps = Readonly<Record<string, Step>>;

/** Whether pending steps are applied when a database is opened, or only by `citewell database migrate`. */
export type UpgradeMode = 'start' | 'off';

export interface RunOptions {
  /** Name of the database, for messages. */
  readonly name: string;
  readonly steps: Steps;
  readonly mode?: UpgradeMode | undefined;
  /** What to do about a database of a newer version, besides installing that version. */
  readonly otherwise: string;
  /** Called before the first step on a database of an earlier version, with the last step that it has. */
  readonly beforeUpgrade?: ((lastStep: string) => Promise<void>) | undefined;
  /**
   * Called in the transaction, before its first step. `worksFrom` is the number of the last step that servers must know
   * afterwards; undefined if the servers that work with the database now can continue.
   */
  readonly begin?: ((transaction: Kysely<Tables>, worksFrom: number | undefined) => Promise<void>) | undefined;
  /** Receives the progress of an upgrade, for the operator. */
  readonly report?: ((message: string) => void) | undefined;
}

/** Which steps of this version a database has. */
export interface SchemaState {
  /** The last step applied; undefined for an empty database. */
  readonly last: string | undefined;
  readonly pending: readonly string[];
  /** Steps of newer versions, with which this version can work nevertheless. */
  readonly newer: readonly string[];
  /** The number of the last step that a server must know. */
  readonly worksFrom: number;
}

/** The setting that holds the number of the last step that a server must know; missing before the first shared step. */
const WORKS_FROM = 'lowest_schema';

export const numberOf = (step: string): number => Number.parseInt(step, 10);

/** The number of the last of these steps; 0 if there are none. */
export const lastNumber = (steps: readonly string[]): number => Math.max(0, ...steps.map(numberOf));

/**
 * Upgrades the schema to this version in one transaction. Throws ServiceError if it is newer, or may not be upgraded.
 */
export async function runSteps(database: Kysely<Tables>, done: readonly string[], options: RunOptions): Promise<void> {
  const { name, steps, mode = 'start', report } = options;
  const { last, pending, worksFrom: worksNow } = await schemaState(database, done, options);
  // Avoids the migrator when nothing is pending, because it first reads the structure of every table.
  if (pending.length === 0) return;
  if (mode === 'off') throw mustMigrate(name, pending, last === undefined);
  if (last !== undefined) await options.beforeUpgrade?.(last);
  const worksAfter = Math.max(...pending.map((step) => steps[step]?.worksFrom ?? numberOf(step)));
  const reportUpgrade = last === undefined ? undefined : report;
  let refusal: unknown;
  const begin = async (transaction: Kysely<Tables>) => {
    const worksFrom = worksAfter > worksNow ? worksAfter : undefined;
    await options.begin?.(transaction, worksFrom).catch((error: unknown) => {
      refusal = error;
      throw error;
    });
  };
  const migrations = Object.fromEntries(
    Object.entries(steps).map(([step, { up, worksFrom }]) => [
      step,
      {
        async up(transaction: Kysely<Tables>) {
          const place = pending.indexOf(step);
          if (place === 0) await begin(transaction);
          reportUpgrade?.(`Upgrading the database: step ${place + 1} of ${pending.length} (${step}).`);
          await up(transaction);
          if (worksFrom !== undefined) await raiseWorksFrom(transaction, worksFrom);
        },
      },
    ]),
  );
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) {
    reportUpgrade?.(`The database ${name} is up to date.`);
    return;
  }
  if (refusal !== undefined) throw refusal;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const at = failed === undefined ? '' : ` at step ${failed}`;
  throw new ServiceError('store_failed', `The database ${name} could not be brought up to date${at}.`, {
    cause: error,
  });
}

/** The names of the applied steps, in order. `hasTable` says whether the migration table exists. */
export async function stepsDone(database: Kysely<Tables>, hasTable: boolean): Promise<readonly string[]> {
  if (!hasTable) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  return rows.map((row) => row.name).sort();
}

/** Compares a database's steps with those of this version. Throws ServiceError if this version cannot work with it. */
export async function schemaState(
  database: Kysely<Tables>,
  done: readonly string[],
  { name, steps, otherwise }: Pick<RunOptions, 'name' | 'steps' | 'otherwise'>,
): Promise<SchemaState> {
  const newer = done.filter((step) => !(step in steps));
  const pending = Object.keys(steps).filter((step) => !done.includes(step));
  const stored = done.length === 0 ? undefined : await readWorksFrom(database);
  const worksFrom = stored ?? lastNumber(done);
  const [first] = newer;
  if (first !== undefined && (worksFrom > lastNumber(Object.keys(steps)) || pending.length > 0)) {
    throw new ServiceError(
      'store_failed',
      `The database ${name} was written by a newer version of Citewell (step ${first}). ` +
        `Install that version, or ${otherwise}`,
    );
  }
  return { last: done.at(-1), pending, newer, worksFrom };
}

async function readWorksFrom(database: Kysely<Tables>): Promise<number | undefined> {
  const row = await database.selectFrom('settings').select('value').where('name', '=', WORKS_FROM).executeTakeFirst();
  return row === undefined ? undefined : Number(row.value);
}

/** Records that from now on, servers must know the step with this number. Never lowers a number recorded before. */
export async function raiseWorksFrom(transaction: Kysely<Tables>, to: number): Promise<void> {
  const value = String(Math.max(to, (await readWorksFrom(transaction)) ?? 0));
  await transaction
    .insertInto('settings')
    .values({ name: WORKS_FROM, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

const mustMigrate = (name: string, pending: readonly string[], isEmpty: boolean): ServiceError =>
  new ServiceError(
    'not_configured',
    `The database ${name} ${isEmpty ? 'is empty' : `lacks ${pending.join(', ')} of this version`}, and ` +
      'CITEWELL_DATABASE_MIGRATE is off. Run "citewell database migrate" first.',
  );
