import './build-first.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { descendantsOf, isRunning } from '../test/support/descendants.ts';
import { PROGRAM, runCitewell } from '../test/support/run-citewell.ts';
import { createPseudoText } from './bench/pseudo-text.ts';

const USAGE = `Measures from the start of "citewell serve" to the first answers, each time after a kill -9.

  npm run -s bench-start -- [options]

  --rounds N      default 10
  --documents N   of about ten passages; default 60
  --keep FOLDER   uses this folder for the corpus, and leaves it

Prints medians. Processor time is that of the server and its children, which the load of the machine changes little.`;

const TICKS_PER_SECOND = 100;
const POLL_MS = 5;
const ANSWER_WITHIN_MS = 60_000;
const GONE_WITHIN_MS = 5_000;

interface Start {
  /** Milliseconds until /v3/health answered, a search had hits, and the index had been compared with the records. */
  readonly health: number;
  readonly search: number;
  readonly inStep: number;
  /** Processor time of the server process in seconds until /v3/health answered. */
  readonly processor: number;
  /** Milliseconds from SIGKILL of the server to the end of its last child. */
  readonly childrenGone: number;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    documents: { type: 'string', default: '60' },
    keep: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const documents = Number(values.documents);
if (values.help || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(documents) || documents < 1) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else await main();

async function main(): Promise<void> {
  const folder = values.keep ?? (await realpath(await mkdtemp(join(tmpdir(), 'citewell-start-'))));
  try {
    await fill(folder);
    const starts: Start[] = [];
    // The first start fills the caches and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const start = await measure(folder);
      if (round > 0) starts.push(start);
    }
    const row = (name: string, read: (start: Start) => number, unit: string) => {
      const sorted = starts.map(read).sort((one, two) => one - two);
      const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
      console.log(`${name.padEnd(48)} median ${at(0.5)} ${unit}, ${at(0)} to ${at(1)}`);
    };
    row('start to the first answer of /v3/health', ({ health }) => health / 1000, 's');
    row('start to the first search', ({ search }) => search / 1000, 's');
    row('start to an index compared with the records', ({ inStep }) => inStep / 1000, 's');
    row("the server's processor time until health", ({ processor }) => processor, 's');
    row('kill -9 to the end of the last child', ({ childrenGone }) => childrenGone / 1000, 's');
  } finally {
    if (values.keep === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function fill(folder: string): Promise<void> {
  const text = createPseudoText(1);
  await mkdir(join(folder, 'docs'), { recursive: true });
  for (let number = 0; number < documents; number++) {
    await writeFile(join(folder, `docs/${number}.md`), text.document(number).paragraphs.join('\n\n'));
  }
  const { code, stderr } = await runCitewell(['ingest', 'docs'], { cwd: folder });
  if (code !== 0) throw new Error(`The documents could not be ingested:\n${stderr}`);
}

async function measure(folder: string): Promise<Start> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v3`;
  const startedAt = performance.now();
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', String(port)], {
    cwd: folder,
    env: { PATH, HOME, XDG_CACHE_HOME: join(folder, 'cache'), CITEWELL_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const pid = server.pid ?? 0;
  const ended = once(server, 'close');
  try {
    await until(async () => (await fetch(`${url}/health`)).ok);
    const health = performance.now() - startedAt;
    const processor = await processorSeconds(pid);
    await until(async () => {
      const response = await fetch(`${url}/retrieval/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: createPseudoText(1).query(1), search_settings: { use_hybrid_search: true } }),
      });
      return response.ok && (await response.text()).includes('"chunk_search_results":[{');
    });
    const search = performance.now() - startedAt;
    await until(async () => (await (await fetch(`${url}/health`)).text()).includes('"state":"ready"'));
    const inStep = performance.now() - startedAt;
    const children = await descendantsOf(pid);
    if (children.length === 0) throw new Error('The server has no Chroma among its children.');
    const killed = performance.now();
    server.kill('SIGKILL');
    await ended;
    while ((await Promise.all(children.map((child) => isRunning(child.pid)))).includes(true)) {
      if (performance.now() - killed > GONE_WITHIN_MS) throw new Error('A child outlives the killed server.');
      await sleep(POLL_MS);
    }
    return { health, search, inStep, processor, childrenGone: performance.now() - killed };
  } finally {
    server.kill('SIGKILL');
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition().catch(() => false))) {
    if (performance.now() - startedAt > ANSWER_WITHIN_MS) throw new Error('The server does not answer.');
    await sleep(POLL_MS);
  }
}

/** Linux only; NaN on other systems. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
