import { type DatabaseSchema, migrateDatabase, readDatabaseSchema } from '../adapters/database-schema.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

interface DatabaseOptions {
  readonly json?: boolean;
}

/** `citewell database status`: exits with 1 when steps are pending. */
export async function databaseStatus({ json }: DatabaseOptions, context: CommandContext): Promise<ExitCode> {
  const state = await readDatabaseSchema(await context.config());
  print(state, json, context);
  return state.pending.length === 0 ? exitCodes.ok : exitCodes.failure;
}

/** `citewell database migrate`: migrates the schema to this version while servers of the previous version still run. */
export async function migrateSchema({ json }: DatabaseOptions, context: CommandContext): Promise<ExitCode> {
  const config = await context.config();
  await migrateDatabase(config, (message) => context.output.note(message));
  print(await readDatabaseSchema(config), json, context);
  return exitCodes.ok;
}

function print(state: DatabaseSchema, json: boolean | undefined, { output }: CommandContext): void {
  const { name, last, pending, newer, worksFrom, servers, olderServers = 0 } = state;
  if (json) {
    output.print(
      JSON.stringify({
        database: name,
        schema: last ?? null,
        pending,
        newer,
        oldest_schema_of_servers: worksFrom,
        ...(servers !== undefined && { servers, older_servers: olderServers }),
      }),
    );
    return;
  }
  output.print(`${name}: ${last === undefined ? 'empty' : `schema ${last}`}`);
  if (pending.length > 0) output.print(`Pending, applied by "citewell database migrate": ${pending.join(', ')}`);
  else if (newer.length > 0) output.print(`Applied by a newer, compatible version: ${newer.join(', ')}`);
  else if (last !== undefined) output.print('No migrations are pending.');
  if (servers !== undefined) {
    const older = olderServers === 0 ? '' : `, ${olderServers} of them with an earlier version`;
    output.print(`Connected servers: ${servers}${older}`);
  }
}
