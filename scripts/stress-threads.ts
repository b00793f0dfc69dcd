import './build-first.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { programFile } from '../src/program-file.ts';
import { createCancelFlag } from '../src/store/sql/operation-watch.ts';
import type { SqliteMessage } from '../src/store/sql/sqlite/sqlite-messages.ts';

const USAGE = `Starts and ends database threads during concurrent fetches, and checks that the process survives.

  npm run -s stress-threads -- [--minutes 1] [--typescript] [--wasm-code-gc]

  --minutes N     duration; a process that ends is restarted until then
  --typescript    runs the threads from TypeScript, which loads the WebAssembly that strips types
  --wasm-code-gc  leaves V8's garbage collection of WebAssembly code on

With both, Node 24 aborts within minutes ("Check failed: jit_page.has_value()"). Exits with 1 when a process crashed.`;

const options = {
  minutes: { type: 'string', default: '1' },
  typescript: { type: 'boolean', default: false },
  'wasm-code-gc': { type: 'boolean', default: false },
  child: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const THREAD_COUNT = 3;
const FETCH_CONCURRENCY = 4;
const REPORT_EVERY_MS = 60_000;
const MS_PER_MINUTE = 60_000;

/** Counts that a process reports to its parent periodically and at its end. */
interface Count {
  readonly threads: number;
  readonly fetches: number;
}

const { values } = parseArgs({ options });
const minutes = Number(values.minutes);
if (values.help || !(minutes > 0)) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else if (values.child) await stress();
else await supervise();

/** Restarts stressed child processes until the time is over, and counts crashes. */
async function supervise(): Promise<void> {
  const hasSafeGc = Number.parseInt(process.versions.node, 10) >= 26;
  const flags = hasSafeGc || values['wasm-code-gc'] ? [] : ['--no-wasm-code-gc'];
  const endsAt = Date.now() + minutes * MS_PER_MINUTE;
  const total = { threads: 0, fetches: 0, crashes: 0 };
  while (Date.now() < endsAt) {
    const left = String((endsAt - Date.now()) / MS_PER_MINUTE);
    const words = ['--child', '--minutes', left, ...(values.typescript ? ['--typescript'] : [])];
    const child = spawn(process.execPath, [...flags, fileURLToPath(import.meta.url), ...words], {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    let lastWords = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(0, 2_000);
    });
    let count: Count = { threads: 0, fetches: 0 };
    child.on('message', (message) => {
      count = message as Count;
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    total.threads += count.threads;
    total.fetches += count.fetches;
    if (code === 0) continue;
    total.crashes += 1;
    console.log(`A process ended with ${signal ?? code} after ${count.threads} threads:\n${lastWords}`);
  }
  console.log(`${total.threads} threads, ${total.fetches} fetches, ${total.crashes} crashes in ${minutes} minutes`);
  if (total.crashes > 0) process.exitCode = 1;
}

/** Starts threads and fetches concurrently until the time is over. */
async function stress(): Promise<void> {
  const endsAt = Date.now() + minutes * MS_PER_MINUTE;
  const folder = await mkdtemp(join(tmpdir(), 'citewell-stress-'));
  const server = createServer((_request, response) => response.end('{"heartbeat": 1}'));
  // No keep-alive timeout: on a loaded machine the server might close an idle connection just as it is reused.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  const count = { threads: 0, fetches: 0 };
  const timer = setInterval(() => process.send?.({ ...count }), 1_000);
  const report = setInterval(() => {
    const megabytes = Math.round(process.memoryUsage.rss() / 1_000_000);
    console.log(`${count.threads} threads, ${count.fetches} fetches, ${megabytes} MB`);
  }, REPORT_EVERY_MS);
  const repeat = async (act: () => Promise<void>) => {
    while (Date.now() < endsAt) await act();
  };
  await Promise.all([
    ...Array.from({ length: THREAD_COUNT }, (_, number) =>
      repeat(async () => {
        await runThread(join(folder, `${number}.db`));
        count.threads += 1;
      }),
    ),
    ...Array.from({ length: FETCH_CONCURRENCY }, () =>
      repeat(async () => {
        await (await fetch(url)).arrayBuffer();
        count.fetches += 1;
      }),
    ),
  ]);
  clearInterval(timer);
  clearInterval(report);
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
  process.send?.({ ...count });
  process.disconnect?.();
}

/** Starts a database thread, runs one query and ends it. */
async function runThread(path: string): Promise<void> {
  const file = values.typescript
    ? fileURLToPath(new URL('../src/store/sql/sqlite/sqlite-worker.ts', import.meta.url))
    : programFile('../src/store/sql/sqlite/sqlite-worker.ts', import.meta);
  const worker = new Worker(file);
  const opening: SqliteMessage = { open: { path, readOnly: false, cancelFlag: createCancelFlag() } };
  worker.postMessage(opening);
  const ask = async (id: number, task: object) => {
    const answer = once(worker, 'message');
    worker.postMessage({ id, task });
    await answer;
  };
  await ask(1, { kind: 'query', sql: 'select 1 as one', parameters: [] });
  await ask(2, { kind: 'close' });
  await worker.terminate();
}
