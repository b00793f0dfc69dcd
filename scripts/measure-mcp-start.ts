import './build-first.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../test/support/run-citewell.ts';

// Measures the start and memory of MCP servers over stdio: an idle Node process, a minimal server of the SDK, and
// `citewell mcp` as the first and second process on a data folder. Each round measures all of them, so that other load
// affects all alike. Linux only.
const ROUNDS = Number(process.argv[2] ?? 7);
const MINIMAL = fileURLToPath(new URL('minimal-mcp-server.js', import.meta.url));
const NANOSECONDS = 1e6;
/** Longer than it takes to connect to the data folder. */
const REST_MS = 2_000;

interface Measured {
  /** Milliseconds until initialize and tools/list are answered, and processor time in milliseconds up to then. */
  readonly wall: number;
  readonly processor: number;
  /** Memory in MB after a search and a pause: resident (RSS), proportional (PSS), and anonymous. */
  readonly resident: number;
  readonly proportional: number;
  readonly own: number;
}

const cwd = await mkdtemp(join(tmpdir(), 'citewell-measure-'));
const { PATH = '', HOME = '' } = process.env;
const env = { PATH, HOME, CITEWELL_LOG_LEVEL: 'error' };
const all = new Map<string, Measured[]>();
try {
  // The first round fills the caches and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const put = (name: string, measured: Measured) => round > 0 && all.set(name, [...(all.get(name) ?? []), measured]);
    const idle = start(['--eval', 'setInterval(() => {}, 1e6)']);
    await sleep(REST_MS);
    put('Node, idle', { wall: 0, processor: await processorTime(idle.pid), ...(await memory(idle.pid)) });
    await end(idle);
    const minimal = start([MINIMAL]);
    put('minimal SDK server', await measure(minimal));
    await end(minimal);
    const first = start([PROGRAM, 'mcp']);
    put('citewell mcp, first', await measure(first));
    const second = start([PROGRAM, 'mcp']);
    put('citewell mcp, second', await measure(second));
    await end(second);
    await end(first);
  }
  const median = (name: string, key: keyof Measured) =>
    (all.get(name) ?? []).map((each) => each[key]).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
  console.log(`Medians of ${ROUNDS} rounds, load average ${loadavg()[0]?.toFixed(1)}.\n`);
  console.log('| | first reply | processor time | ÷ minimal | resident | proportional | own |');
  console.log('|---|---|---|---|---|---|---|');
  for (const name of all.keys()) {
    const ratio = (median(name, 'processor') / median('minimal SDK server', 'processor')).toFixed(2);
    const times = (['wall', 'processor'] as const).map((key) => `${median(name, key).toFixed(0)} ms`);
    const sizes = (['resident', 'proportional', 'own'] as const).map((key) => `${median(name, key).toFixed(1)} MB`);
    console.log(`| ${[name, ...times, ratio, ...sizes].join(' | ')} |`);
  }
} finally {
  await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly startedAt: number;
}

function start(words: readonly string[]): Started {
  const startedAt = performance.now();
  const child = spawn(process.execPath, words, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, pid: child.pid ?? 0, startedAt };
}

async function end({ child }: Started): Promise<void> {
  child.stdin?.end();
  const timer = setTimeout(() => child.kill(), REST_MS);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  clearTimeout(timer);
}

async function measure({ child, pid, startedAt }: Started): Promise<Measured> {
  if (child.stdout === null) throw new Error('The server has no stdout.');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (id: number, method: string, params: object) => {
    send({ id, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The server ended.');
      if (JSON.parse(value).id === id) return;
    }
  };
  const clientInfo = { name: 'measure', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  await ask(2, 'tools/list', {});
  const wall = performance.now() - startedAt;
  const processor = await processorTime(pid);
  await ask(3, 'tools/call', { name: 'search_file_knowledge', arguments: { query: 'anything' } });
  await sleep(REST_MS);
  return { wall, processor, ...(await memory(pid)) };
}

/** Processor time of all running threads in milliseconds. */
async function processorTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) =>
      Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ')[0]),
    ),
  );
  return times.reduce((sum, time) => sum + time, 0) / NANOSECONDS;
}

async function memory(pid: number): Promise<Pick<Measured, 'resident' | 'proportional' | 'own'>> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const read = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024) / 1e6;
  return { resident: read('Rss'), proportional: read('Pss'), own: read('Anonymous') };
}
