import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { compare } from '../../scripts/kill-test/checks.ts';
import { type FoundRecords, readIndex, readRecords } from '../../scripts/kill-test/inspect.ts';
import { chromasOn } from '../../scripts/kill-test/processes.ts';
import { addLongValue } from '../support/damage-database.ts';
import { PATIENT } from '../support/patience.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const quiet = { CITEWELL_LOG_LEVEL: 'silent' };
const ARCHIVED = /^(?:lock|citewell\.db(?:\.made)?|chroma|evaluations)$/;

async function serve(cwd: string): Promise<RunningServer> {
  const server = await startCitewell({ cwd, env: quiet });
  onTestFinished(() => server.kill());
  return server;
}

/** Uploads documents from several clients until it is stopped; `acknowledged` has their texts by identifier. */
function upload(url: string) {
  const acknowledged = new Map<string, string>();
  let isOver = false;
  let number = 0;
  const client = async () => {
    while (!isOver) {
      const lines = Array.from({ length: 40 }, (_, line) => `Sentence ${line} of text ${++number} is about ferries.`);
      const body = JSON.stringify({ raw_text: lines.join('\n\n'), run_with_orchestration: false });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/v3/documents`, { method: 'POST', headers, body });
      const { results } = (await response.json()) as { results: { document_id: string } };
      expect(response.status).toBe(202);
      acknowledged.set(results.document_id, lines.join('\n\n'));
    }
  };
  const clients = Promise.all([client(), client(), client()]);
  return {
    acknowledged,
    async stop() {
      isOver = true;
      await clients;
    },
  };
}

/** Contradictions within a database, found with SQL; each document is there completely or not at all. */
function contradictionsIn(records: FoundRecords): string[] {
  const visible = new Set([...records.documents.values()].flatMap(({ chunks }) => chunks.map(({ key }) => key)));
  return [
    ...records.damage,
    ...records.versionProblems,
    ...compare('The full-text index', records.fullTextKeys, visible),
    // Those of documents that are being ingested are there already.
    ...compare('The table of vectors', visible.intersection(new Set(records.vectors.keys())), visible),
    ...[...records.documents.values()].flatMap(({ id, chunks, chunkCount, text, status }) => [
      ...(status !== 'success' || chunks.length === chunkCount ? [] : [`${id} has ${chunks.length} of ${chunkCount}.`]),
      ...chunks.filter(({ start, end, text: own }) => text.slice(start, end) !== own).map(() => `${id} is misplaced.`),
    ]),
  ];
}

async function inspect<T>(folder: string, run: (records: FoundRecords) => T): Promise<T> {
  const records = readRecords(folder);
  try {
    return await run(records);
  } finally {
    records.close();
  }
}

it('restores from a backup taken under load everything that was acknowledged before, with a complete index', async () => {
  const cwd = await temporaryFolder();
  const server = await serve(cwd);
  const load = upload(server.url);
  const backups: { readonly file: string; readonly before: ReadonlyMap<string, string> }[] = [];
  for (const number of [1, 2, 3]) {
    const { size } = load.acknowledged;
    await vi.waitFor(() => expect(load.acknowledged.size).toBeGreaterThan(size + 5), PATIENT);
    const backup = { file: join(cwd, `backup-${number}`), before: new Map(load.acknowledged) };
    const { code, stderr } = await runCitewell(['backup', backup.file], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    backups.push(backup);
  }
  await load.stop();
  await server.end('SIGKILL');

  for (const { file, before } of backups) {
    const elsewhere = await temporaryFolder();
    const data = join(elsewhere, '.citewell');
    expect(await runCitewell(['restore', file], { cwd: elsewhere })).toMatchObject({ code: 0 });
    await inspect(data, (records) => {
      expect(contradictionsIn(records)).toEqual([]);
      const texts = [...before].map(([id]) => [id, records.documents.get(id)?.bytes]);
      expect(Object.fromEntries(texts)).toEqual(Object.fromEntries(before));
      for (const id of before.keys()) expect(records.documents.get(id)).toMatchObject({ status: 'success' });
    });
  }

  const last = await temporaryFolder();
  await runCitewell(['restore', backups.at(-1)?.file ?? ''], { cwd: last });
  const again = await serve(last);
  const data = join(last, '.citewell');
  await vi.waitFor(async () => {
    const { results } = (await (await fetch(`${again.url}/v3/system/status`)).json()) as {
      results: { citewell: { index: object; pending_index_writes: number; ingestion: object } };
    };
    const { index, pending_index_writes, ingestion } = results.citewell;
    expect({ index, pending_index_writes, ingestion }).toMatchObject({
      index: { state: 'ready' },
      pending_index_writes: 0,
      ingestion: { queued: 0, running: 0 },
    });
  }, PATIENT);
  const [chroma] = await chromasOn(data);
  await inspect(data, async (records) => {
    expect(contradictionsIn(records)).toEqual([]);
    const visible = new Set(records.vectors.keys());
    expect(visible.size).toBeGreaterThan(0);
    expect(compare('Chroma', (await readIndex(chroma?.port ?? 0, records.collection)).keys, visible)).toEqual([]);
  });
});

const LONG = 150_000_000;

/** A data folder whose content takes a while to copy. */
async function largeFolder(cwd: string): Promise<string> {
  const data = join(cwd, '.citewell');
  await mkdir(data, { mode: 0o700 });
  await addLongValue(join(data, 'citewell.db'), LONG);
  return data;
}

interface Midway {
  readonly cwd: string;
  readonly isMidway: () => Promise<boolean>;
  readonly reset: () => Promise<void>;
  readonly input?: string;
}

/** Repeats a command and kills it once `isMidway`; returns when one was killed before its end. */
async function killMidway(
  args: readonly string[],
  { cwd, isMidway, reset, input }: Midway,
  kill: (child: ChildProcess) => unknown = (child) => child.kill('SIGKILL'),
) {
  for (let attempt = 0; attempt < 20; attempt++) {
    let watching: Promise<void> | undefined;
    const run = await runCitewell(args, {
      cwd,
      ...(input !== undefined && { input }),
      onStart(child) {
        watching = (async () => {
          while (child.exitCode === null && child.signalCode === null) {
            if (await isMidway()) {
              await kill(child);
              return;
            }
            await sleep(2);
          }
        })();
      },
    });
    await watching;
    if (run.code !== 0) return run;
    await reset();
  }
  throw new Error('The command ended before it could be killed, every time.');
}

it('leaves nothing that could be mistaken for a backup when the command or the server is killed meanwhile', async () => {
  const cwd = await temporaryFolder();
  const data = await largeFolder(cwd);
  const file = join(cwd, 'backup');
  const reset = () => rm(file, { force: true });
  const isMidway = async () => (await readdir(cwd)).some((name) => name.startsWith('backup.partial'));
  const server = await serve(cwd);
  expect(await killMidway(['backup', file], { cwd, isMidway, reset })).toMatchObject({ code: null });
  expect(existsSync(file)).toBe(false);
  // The server notices that its reader is gone, and lets the next one begin.
  await vi.waitFor(async () => expect(await readdir(join(data, 'unfinished'))).toEqual([]), PATIENT);

  for (const name of await readdir(cwd)) if (name.startsWith('backup')) await rm(join(cwd, name));
  const ended = await killMidway(['backup', file], { cwd, isMidway, reset }, () => server.kill());
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('closed the connection') });
  expect((await readdir(cwd)).filter((name) => name.startsWith('backup'))).toEqual([]);

  await serve(cwd);
  await vi.waitFor(() => expect(existsSync(join(data, 'unfinished'))).toBe(false), PATIENT);
  expect(await runCitewell(['backup', file], { cwd })).toMatchObject({ code: 0 });
  expect(await runCitewell(['backup', 'verify', file], { cwd })).toMatchObject({ code: 0 });
});

it('leaves an empty data folder when restoring is killed, and then restores', async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'backup');
  await largeFolder(cwd);
  expect(await runCitewell(['backup', file, '--passphrase-stdin'], { cwd, input: 'words\n' })).toMatchObject({
    code: 0,
  });
  const elsewhere = await temporaryFolder();
  const data = join(elsewhere, '.citewell');
  await mkdir(data, { mode: 0o700 });
  const isMidway = async () => existsSync(join(data, 'unfinished', 'citewell.db'));
  const reset = () => rm(data, { recursive: true });
  const args = ['restore', file, '--passphrase-stdin'];
  const killed = await killMidway(args, { cwd: elsewhere, isMidway, reset, input: 'words\n' });
  expect(killed).toMatchObject({ code: null });
  expect(existsSync(join(data, 'citewell.db'))).toBe(false);

  expect(await runCitewell(args, { cwd: elsewhere, input: 'words\n' })).toMatchObject({ code: 0 });
  expect((await readdir(data)).filter((name) => !ARCHIVED.test(name))).toEqual([]);
  await inspect(data, (records) => {
    expect(contradictionsIn(records)).toEqual([]);
  });
  expect(longValueIn(join(data, 'citewell.db'))).toBe(LONG);
});

function longValueIn(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("select length(value) as length from settings where name = 'long'").get();
  database.close();
  return row?.['length'];
}
