import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openConnections } from '../../src/store/postgres/postgres-dialect.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { type Run, runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const connect = (url: string) => {
  const database = openConnections({ name: 'database', url, size: 2 });
  onTestFinished(() => database.destroy());
  return database;
};
type Connection = ReturnType<typeof connect>;

/** Kills a command when it waits for a lock of a table, which this takes before. */
async function killedAt(
  table: string,
  mode: 'access exclusive' | 'exclusive',
  database: Connection,
  run: (onStart: (child: ChildProcess) => void) => Promise<Run>,
): Promise<Run> {
  return database.transaction().execute(async (transaction) => {
    await sql`lock table ${sql.table(table)} in ${sql.raw(mode)} mode`.execute(transaction);
    let child: ChildProcess | undefined;
    const ended = run((started) => {
      child = started;
    });
    const waits = sql<{ count: number }>`select count(*) as count from pg_locks
      where not granted and relation = ${table}::regclass`;
    await vi.waitFor(async () => {
      expect(child?.exitCode).toBeNull();
      expect((await waits.execute(database)).rows).toEqual([{ count: 1 }]);
    }, PATIENT);
    child?.kill('SIGKILL');
    return ended;
  });
}

const partials = async (folder: string) => (await readdir(folder)).filter((name) => name.includes('.partial-'));

describePostgres('kill -9', () => {
  it('of a backup leaves no file of its name, and of a restoration no database that is mistaken for complete', async () => {
    const url = await postgresDatabase();
    const env = { CITEWELL_DATABASE_URL: url };
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'papers'));
    for (let number = 0; number < 4; number++) {
      await writeFile(join(cwd, 'papers', `${number}.md`), `# Note ${number}\n\nThe ferry ${number} leaves at noon.\n`);
    }
    const ingested = await runCitewell(['ingest', 'papers'], { cwd, env });
    expect(ingested, ingested.stderr).toMatchObject({ code: 0 });
    const source = connect(url);
    const run = (args: string[]) => (onStart: (child: ChildProcess) => void) =>
      runCitewell(args, { cwd, env, onStart });

    // While the records are copied, then while the file is written, which takes a while with this.
    expect(await killedAt('chunks', 'access exclusive', source, run(['backup', 'all.backup']))).toMatchObject({
      code: null,
    });
    expect(await readdir(cwd)).not.toContain('all.backup');
    const first = sql`(select min(document_key) from document_files)`;
    await sql`update document_files set bytes = ${randomBytes(40_000_000)} where document_key = ${first}`.execute(
      source,
    );
    let seen = '';
    const cut = await run(['backup', 'all.backup', '--json'])((child) =>
      child.stdout?.on('data', (text) => {
        seen += text;
        if (seen.includes('"stage":"archive"')) child.kill('SIGKILL');
      }),
    );
    if (cut.code === null) expect(await readdir(cwd)).not.toContain('all.backup');
    const left = await partials(cwd);
    const whole = await run(['backup', 'whole.backup'])(() => {});
    expect(whole, whole.stderr).toMatchObject({ code: 0 });
    // What was begun has another name, and the data folder nothing of it.
    expect(await partials(cwd)).toEqual(left);
    const unfinished = await readdir(join(cwd, '.citewell', 'unfinished')).catch(() => []);
    expect(unfinished.filter((name) => name.startsWith('backup-'))).toEqual([]);

    const otherUrl = await postgresDatabase();
    const other = { cwd, env: { CITEWELL_DATABASE_URL: otherUrl, CITEWELL_DATA_DIR: join(cwd, 'other') } };
    const restore = (onStart: (child: ChildProcess) => void) =>
      runCitewell(['restore', 'whole.backup'], { ...other, onStart });
    expect(await runCitewell(['database', 'migrate'], other)).toMatchObject({ code: 0 });
    const target = connect(otherUrl);
    // While rows are copied, and while the full-text index is made.
    for (const table of ['chunks', 'chunk_terms']) {
      expect(await killedAt(table, 'exclusive', target, restore)).toMatchObject({ code: null });
    }
    const refused = await runCitewell(['documents', 'list'], other);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/is an incomplete copy of .*citewell restore/);
    const restored = await restore(() => {});
    expect(restored, restored.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/4 documents/) });
    expect(await readdir(join(cwd, 'other'))).not.toContain('unfinished');
    const found = await runCitewell(['search', 'which ferry leaves at noon?'], other);
    expect(found, found.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/leaves at noon/) });
  }, 900_000);
});
