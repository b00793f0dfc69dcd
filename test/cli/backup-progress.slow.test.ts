import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createBackups } from '../../src/backup/create-backups.ts';
import { verifyBackup } from '../../src/backup/restore-backup.ts';
import { listenForInterruption } from '../../src/cli/interruption.ts';
import { createCommand } from '../../src/cli/main.ts';
import { processOutput } from '../../src/cli/output.ts';
import { writeServerInfo } from '../../src/store/server-info.ts';
import { startHttp } from '../http/support/start-http.ts';
import { ingest, newChunks, newDocument, openTestStore } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A server whose copy of the database stays at three of seven megabytes until `resume` is called. */
async function serveSlowCopy() {
  const store = await openTestStore();
  await ingest(store, newDocument('one'), newChunks(5));
  const path = dirname(store.path);
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const backups = createBackups({
    store: {
      async snapshot(copy, signal, onProgress) {
        onProgress?.({ done: 3_000_000, total: 7_000_000 });
        await resumed;
        await store.snapshot?.(copy, signal);
      },
    },
    folder: { path, databaseFile: store.path, unfinishedFolder: join(path, 'unfinished') },
    version: '1',
  });
  const server = await startHttp({ backups });
  onTestFinished(server.close);
  return { url: server.url, resume };
}

/** The text that is written to a terminal, or a pipe; `has` resolves once it contains these words. */
function screen(isTTY: boolean) {
  const stream = new PassThrough();
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  let wanted: string | undefined;
  const look = () => {
    if (wanted !== undefined && text.includes(wanted)) resolve(text);
  };
  stream.on('data', (piece) => {
    text += String(piece);
    look();
  });
  return {
    stream: Object.assign(stream, { isTTY, columns: 100 }) as unknown as NodeJS.WriteStream,
    has(words: string) {
      wanted = words;
      look();
      return promise;
    },
    written: () => text,
  };
}

it.each([
  { how: 'a terminal', options: [], words: '3/7 MB' },
  {
    how: 'programs',
    options: ['--json'],
    words: '{"type":"progress","stage":"copying","done":3000000,"total":7000000}\n',
  },
])('citewell backup shows $how the progress of the server’s database copy', async ({ options, words }) => {
  const cwd = await temporaryFolder();
  const folder = join(cwd, '.citewell');
  await mkdir(folder, { mode: 0o700 });
  const { url, resume } = await serveSlowCopy();
  await writeServerInfo(folder, url);
  const interruption = listenForInterruption(process, { force: () => undefined });
  onTestFinished(interruption.dispose);
  const [stdout, stderr] = [screen(false), screen(true)];
  const output = processOutput(stdout.stream, stderr.stream);
  const file = join(cwd, 'nightly.backup');
  const env = { CITEWELL_DATA_DIR: folder };
  const code = createCommand(['backup', file, ...options], { output, interruption, env, cwd }).run();
  const shown = await (options.length > 0 ? stdout : stderr).has(words);
  if (options.length === 0) expect(shown).toMatch(/\[#{10}-{14}\] {2}3\/7 MB .*copying the database/);
  resume();
  expect(await code).toBe(0);
  // The archive of this test is smaller than a megabyte.
  if (options.length === 0) expect(stderr.written()).toMatch(/\[#{24}\] {2}(\d+)\/\1 KB/);
  const signal = new AbortController().signal;
  expect(await verifyBackup(file, { passphrase: undefined, onProgress: () => undefined, signal })).toMatchObject({
    documents: 1,
    chunks: 5,
  });
});
