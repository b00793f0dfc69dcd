import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../../sql/schema.ts';
import { changeTables, changeTriggers } from './change-tables.ts';
import { clusterTables, clusterTriggers } from './cluster-tables.ts';
import { contentVersionTables, contentVersionTriggers } from './content-version.ts';
import { fullTextTables } from './full-text-tables.ts';
import { graphTables } from './graph-tables.ts';
import { recordTables } from './record-tables.ts';
import { sharedStateTables, sharedStateTriggers } from './shared-state-tables.ts';
import { triggers, views } from './triggers.ts';

// Texts compare by their bytes, as in SQLite, whatever the collation of the database.
const writeOut = (statement: string): string => statement.replaceAll('TEXT', 'text collate "C"');

/** The schema that SQLite databases reached in several steps; later steps are shared by both engines. */
export const baseline: Migration = {
  async up(database: Kysely<Tables>) {
    const tables = [
      ...recordTables,
      ...graphTables,
      ...fullTextTables,
      ...clusterTables,
      ...changeTables,
      ...sharedStateTables,
      ...contentVersionTables,
    ];
    const behaviour = [
      ...views,
      ...triggers,
      ...clusterTriggers,
      ...changeTriggers,
      ...sharedStateTriggers,
      ...contentVersionTriggers,
    ];
    for (const statement of [...tables.map(writeOut), ...behaviour]) await sql.raw(statement).execute(database);
    // Distinguishes the collections of two corpora that use one Chroma.
    await database.insertInto('settings').values({ name: 'corpus_id', value: randomUUID() }).execute();
  },
};
