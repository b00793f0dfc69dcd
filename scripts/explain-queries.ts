import './build-first.js';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../src/store/sql/sqlite/open-sqlite.ts';
import { fillDatabase } from './explain-queries/fill-database.ts';

/**
 * Lists the SQL statements that do a full scan of a large table. Statements are recorded while test files run (by
 * default those of the store); plans and times are from a database of 100,000 chunks.
 */
const CHUNKS = 100_000;
const LARGE = 5_000;
const RUN_WITHIN_MS = 1_200_000;
const DEFAULT_TESTS = ['test/store/sql'];
// These tests prepare hundreds of random filters, all of which scan.
const LEFT_OUT = ['--exclude', 'test/store/sql/filters/**'];

const folder = await mkdtemp(join(tmpdir(), 'citewell-explain-'));
try {
  const tests = process.argv.slice(2);
  const statements = await recordStatements(tests.length === 0 ? DEFAULT_TESTS : tests);
  const path = join(folder, 'large.db');
  await (await openSqlite({ path })).close();
  const database = new DatabaseSync(path);
  database.function('index_terms', { varargs: true }, () => '{}');
  fillDatabase(database, CHUNKS);
  const large = largeTables(database);
  console.log(`Large tables: ${[...large].join(', ')}.`);
  let count = 0;
  for (const sql of statements) {
    const scans = scansOf(database, sql, large);
    if (scans.length === 0) continue;
    count++;
    console.log(`\n${scans.join('; ')}${timeOf(database, sql)}\n  ${sql.replace(/\s+/g, ' ').slice(0, 400)}`);
  }
  console.log(`\n${statements.length} statements, ${count} with full scans of large tables.`);
  database.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function recordStatements(tests: readonly string[]): Promise<readonly string[]> {
  const file = join(folder, 'statements.jsonl');
  const recorder = join(import.meta.dirname, 'explain-queries/record-statements.js');
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', ...LEFT_OUT, ...tests], {
    env: { ...process.env, CITEWELL_TEST_STATEMENTS: file, NODE_OPTIONS: `--import=${recorder}` },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: RUN_WITHIN_MS,
  });
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return [...new Set(lines.map((line) => JSON.parse(line) as string))].filter((sql) =>
    /^\s*(with|select|insert|update|delete)\b/i.test(sql),
  );
}

function largeTables(database: DatabaseSync): ReadonlySet<string> {
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and sql like 'create table%'")
    .all();
  return new Set(
    tables
      .map(({ name }) => String(name))
      .filter((name) => Number(database.prepare(`select count(*) as count from "${name}"`).get()?.['count']) >= LARGE),
  );
}

/** Finds full scans; statements that use virtual tables of the product's threads cannot be planned and are skipped. */
function scansOf(database: DatabaseSync, sql: string, large: ReadonlySet<string>): string[] {
  let plan: readonly { readonly detail?: unknown }[];
  try {
    plan = database.prepare(`explain query plan ${sql}`).all();
  } catch {
    return [];
  }
  return plan
    .map(({ detail }) => String(detail))
    .filter((detail) => {
      const [, name = ''] = /^SCAN (\S+)/.exec(detail) ?? [];
      return large.has(tableOf(sql, name));
    });
}

/** Time of a read-only statement, with null for every parameter. */
function timeOf(database: DatabaseSync, sql: string): string {
  if (!/^\s*(?:select|with)\b/i.test(sql)) return '';
  const startedAt = performance.now();
  try {
    database.prepare(sql).all();
  } catch {
    return '';
  }
  return ` (${(performance.now() - startedAt).toFixed(1)} ms)`;
}

/** The table behind a name in a query plan, which may be an alias from the statement. */
function tableOf(sql: string, name: string): string {
  const [, table] = new RegExp(`"?(\\w+)"?\\s+(?:as\\s+)?"?${name}"?\\b`, 'i').exec(sql) ?? [];
  return table === undefined || /^(from|join|into|update|on|as)$/i.test(table) ? name : table;
}
