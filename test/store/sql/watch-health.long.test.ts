import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSqlite } from '../../../src/store/sql/sqlite/open-sqlite.ts';
import { defaultHealthCheck, type HealthCheckSettings, watchHealth } from '../../../src/store/sql/watch-health.ts';
import { addLongValue, rootPageOf, zeroMiddle, zeroPage } from '../../support/damage-database.ts';
import { descendantsOf } from '../../support/descendants.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const IN_BACKGROUND: HealthCheckSettings = { maxBytesCheckedFirst: -1, checkAfterMs: 0 };
const PATIENCE = { ...PATIENT, interval: 20 };
const DAMAGED = /^The database \S+ is damaged \(.*\)\. Stop Citewell and restore a copy of the data folder/;

async function databaseWithLongValue(): Promise<string> {
  const path = join(await temporaryFolder(), 'citewell.db');
  await addLongValue(path, 4_000_000);
  return path;
}

async function openChecked(path: string, healthCheck: HealthCheckSettings) {
  const reports: string[] = [];
  const sqlite = await openSqlite({ path, healthCheck, report: (message) => reports.push(message) });
  onTestFinished(() => sqlite.close());
  return { sqlite, reports };
}

/** A check of a pipe that nobody writes to, which stays in one native call. */
async function endlessCheck() {
  const pipe = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reports: string[] = [];
  const watch = watchHealth(pipe, { settings: IN_BACKGROUND, report: (message) => reports.push(message) });
  onTestFinished(() => watch.close());
  await vi.waitFor(async () => expect(await checksOf(pipe)).toHaveLength(1), PATIENCE);
  return { pipe, watch, reports };
}

const checksOf = async (path: string) =>
  (await descendantsOf(process.pid)).filter(
    ({ command }) => command.includes('check-process') && command.includes(path),
  );

it('opens a large database that is damaged, then reports the damage and keeps it as its problem', async () => {
  const path = await databaseWithLongValue();
  await zeroMiddle(path);
  const { sqlite, reports } = await openChecked(path, IN_BACKGROUND);
  expect(sqlite.problem()).toBeUndefined();
  await vi.waitFor(() => expect(reports).toEqual([expect.stringMatching(DAMAGED)]), PATIENCE);
  expect(sqlite.problem()).toBe(reports[0]);
  expect(reports[0]).toContain(path);
  await sqlite.writer.insertInto('settings').values({ name: 'after', value: '1' }).execute();
});

it('refuses a database whose full-text index cannot be opened', async () => {
  const path = join(await temporaryFolder(), 'citewell.db');
  await (await openSqlite({ path })).close();
  await zeroPage(path, rootPageOf(path, 'graph_community_terms_config'));
  await expect(openSqlite({ path })).rejects.toThrow(DAMAGED);
});

it('checks an intact large database completely, and reports nothing', async () => {
  const path = await databaseWithLongValue();
  const { sqlite, reports } = await openChecked(path, IN_BACKGROUND);
  await vi.waitFor(async () => expect(await checksOf(path)).toHaveLength(1), PATIENCE);
  await vi.waitFor(async () => expect(await checksOf(path)).toEqual([]), PATIENCE);
  expect(reports).toEqual([]);
  expect(sqlite.problem()).toBeUndefined();
});

it('starts the check of a large database only when the start of a service is over', async () => {
  const folder = await temporaryFolder();
  const reports: string[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const settings = { ...defaultHealthCheck, maxBytesCheckedFirst: -1 };
  const watch = watchHealth(folder, { settings, report: (message) => reports.push(message) });
  onTestFinished(() => watch.close());
  await vi.advanceTimersByTimeAsync(14_999);
  expect(await checksOf(folder)).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  await vi.waitFor(() => expect(reports).toEqual([expect.stringContaining('could not be checked')]), PATIENCE);
});

it('refuses a damaged small database at the start, and checks it only once', async () => {
  const path = await databaseWithLongValue();
  const small: HealthCheckSettings = { maxBytesCheckedFirst: 32_000_000, checkAfterMs: 0 };
  const { reports } = await openChecked(path, small);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await checksOf(path)).toEqual([]);
  expect(reports).toEqual([]);
  const copy = await databaseWithLongValue();
  await zeroMiddle(copy);
  await expect(openSqlite({ path: copy, healthCheck: small })).rejects.toMatchObject({
    message: expect.stringMatching(DAMAGED),
  });
});

it('reports that a file could not be checked, but not as damaged', async () => {
  const folder = await temporaryFolder();
  const reports: string[] = [];
  const watch = watchHealth(folder, { settings: IN_BACKGROUND, report: (message) => reports.push(message) });
  onTestFinished(() => watch.close());
  await vi.waitFor(() => expect(reports).toHaveLength(1), PATIENCE);
  expect(reports).toEqual([`The database ${folder} could not be checked for damage: disk I/O error`]);
  expect(watch.problem()).toBeUndefined();
});

it('aborts a running check when the database is closed, and reports nothing', async () => {
  const { pipe, watch, reports } = await endlessCheck();
  watch.close();
  await vi.waitFor(async () => expect(await checksOf(pipe)).toEqual([]), PATIENCE);
  expect(reports).toEqual([]);
});

it('reports that a file could not be checked when the check is interrupted', async () => {
  const { pipe, watch, reports } = await endlessCheck();
  for (const { pid } of await checksOf(pipe)) process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(reports).toEqual([expect.stringMatching(/could not be checked.*SIGKILL/)]), PATIENCE);
  expect(watch.problem()).toBeUndefined();
});
