import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultSandboxLimits } from '../src/sandbox/default-limits.ts';
import { findOuterLayers } from '../src/sandbox/outer-layers.ts';
import { treeResidentBytes } from '../src/sandbox/process-tree.ts';
import { createPythonSandbox } from '../src/sandbox/python-sandbox.ts';
import { findRuntime } from '../src/sandbox/runtime.ts';

/**
 * `node scripts/bench-sandbox.ts` measures the start time, response time, memory and throughput of the Python sandbox,
 * and compares the speed of its Python with a native `python3` if one is installed.
 */
const { signal } = new AbortController();
const cacheFolder = await mkdtemp(join(tmpdir(), 'citewell-bench-'));
const search = findRuntime();
if (!search.found) throw new Error(search.reason);
const { runtime } = search;
const open = (slots = 2) =>
  createPythonSandbox({
    runtime,
    layers: () => findOuterLayers(process.env['PATH']),
    limits: { ...defaultSandboxLimits, slots, queued: 1_000, queuedMilliseconds: 300_000, maxMilliseconds: 300_000 },
    cacheFolder,
    packages: { files: async () => [] },
  });
type Bench = ReturnType<typeof open>;

const programs: Readonly<Record<string, string>> = {
  'integer loop': 'n = 0\nfor i in range(3_000_000): n += i * i % 7\nn',
  'sieve to 2,000,000':
    's = bytearray([1]) * 2_000_001\nfor i in range(2, 1415):\n    if s[i]: s[i * i :: i] = bytes(len(range(i * i, 2_000_001, i)))\nsum(s) - 2',
  'recursive fib(25)': 'def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nf(25)',
  'dictionary of words':
    'from collections import Counter\nsum(Counter(f"w{i * 7919 % 1000}" for i in range(300_000)).values())',
  'statistics of 50,000':
    'import random, statistics\nr = random.Random(1)\nx = [r.random() for _ in range(50_000)]\nround(statistics.stdev(x), 3)',
  'JSON of 20,000 records': 'import json\nlen(json.loads(json.dumps([{"a": i, "b": str(i)} for i in range(20_000)])))',
  'Decimal, 30,000 divisions':
    'from decimal import Decimal\nx = Decimal(0)\nfor i in range(1, 30_001): x += Decimal(1) / i\nround(float(x), 3)',
  'sqlite, 20,000 rows':
    'import sqlite3\ndb = sqlite3.connect(":memory:")\ndb.execute("create table t(a, b)")\ndb.executemany("insert into t values (?, ?)", ((i, i % 97) for i in range(20_000)))\ndb.execute("select sum(a) from t group by b order by b").fetchone()[0]',
};

console.log(`Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)}`);
try {
  await starts();
  await warmCalls();
  await throughput();
  await withOtherWork();
} finally {
  await rm(cacheFolder, { recursive: true });
}

async function call(sandbox: Bench, code: string, session?: string): Promise<number> {
  const startedAt = performance.now();
  const request = { code, inputs: {}, files: [], milliseconds: 120_000, ...(session !== undefined && { session }) };
  const result = await sandbox.run(request, signal);
  if (result.end !== 'finished') throw new Error(result.error?.traceback ?? result.end);
  return performance.now() - startedAt;
}

async function starts(): Promise<void> {
  const first = open();
  report('first call ever (makes the snapshot)', [await call(first, '1')]);
  await first.close();
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const sandbox = open();
    times.push(await call(sandbox, '1'));
    await sandbox.close();
  }
  report('first call of a process, with the snapshot', times);
}

async function warmCalls(): Promise<void> {
  const sandbox = open();
  await call(sandbox, '1');
  const oneShot: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    // Long enough for the spare slot to start, as happens between the turns of a model.
    await sleep(2_500);
    oneShot.push(await call(sandbox, 'print("hello")\nsum(range(1000))'));
  }
  report('warm call without a session', oneShot);
  await call(sandbox, 'x = 1', 'kept');
  const session: number[] = [];
  for (let round = 0; round < 100; round += 1)
    session.push(await call(sandbox, 'print("hello")\nsum(range(1000))', 'kept'));
  report('call of a session', session);
  await sleep(1_000);
  const own = process.memoryUsage().rss;
  const each = (treeResidentBytes(process.pid) - own) / sandbox.size / 1e6;
  console.log(
    `${'memory of an idle slot'.padEnd(46)} ${each.toFixed(0)} MB (this process ${(own / 1e6).toFixed(0)} MB)`,
  );
  await sandbox.close();
}

async function throughput(): Promise<void> {
  const slots = availableParallelism();
  const sandbox = open(slots);
  await call(sandbox, '1');
  for (const [name, session, count] of [
    ['without sessions', false, 12],
    ['of sessions', true, 400],
  ] as const) {
    const startedAt = performance.now();
    const lanes = Array.from({ length: slots }, async (_, lane) => {
      for (let round = 0; round < count; round += 1)
        await call(sandbox, 'sum(range(1000))', session ? `lane ${lane}` : undefined);
    });
    await Promise.all(lanes);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${`calls ${name}, on all processors`.padEnd(46)} ${((count * slots) / seconds).toFixed(1)} per second`,
    );
  }
  await sandbox.close();
}

async function withOtherWork(): Promise<void> {
  const sandbox = open();
  for (const [name, code] of Object.entries(programs)) {
    await call(sandbox, '1', 'kept');
    const inside = Math.min(await call(sandbox, code, 'kept'), await call(sandbox, code, 'kept'));
    const native = await nativeMilliseconds(code);
    const ratio =
      native === undefined
        ? 'no python3 here'
        : `native ${native.toFixed(0)} ms, ${(inside / native).toFixed(1)} times as long`;
    console.log(`${name.padEnd(46)} ${inside.toFixed(0)} ms; ${ratio}`);
  }
  await sandbox.close();
}

/** Measures inside Python, so that start-up does not count; the better of two runs, as for the sandbox. */
async function nativeMilliseconds(code: string): Promise<number | undefined> {
  const program = `import sys, time\ncode = compile(sys.stdin.read(), "<cell>", "exec")\nbest = 1e9\nfor _ in range(2):\n    begun = time.perf_counter()\n    exec(code, {})\n    best = min(best, time.perf_counter() - begun)\nprint(best * 1000)`;
  const child = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (piece) => {
    output += piece;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(code);
  const ended = await once(child, 'close').catch(() => undefined);
  return ended === undefined || ended[0] !== 0 ? undefined : Number(output);
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1);
  const all = times.length === 1 ? `${at(0)} ms` : `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, least ${at(0)} ms`;
  console.log(`${name.padEnd(46)} ${all}`);
}
