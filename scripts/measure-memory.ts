import './build-first.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { descendantsOf } from '../test/support/descendants.ts';
import { startCitewell } from '../test/support/run-citewell.ts';
import { type Api, createApi } from './kill-test/api.ts';
import { createDrafts } from './kill-test/draft.ts';
import { seededRandom } from './seeded-random.ts';

const USAGE = `Measures the resident memory and the speed of the compiled service under the same load, with each of some
settings of the allocator and of V8.

  node scripts/measure-memory.ts [--documents N] [--requests N] [--rounds N] [--only NAME]...

  --documents N  default 40
  --requests N   default 1200
  --rounds N     default 3; each round runs every setting once, beginning with another one
  --only NAME    one of the settings below; may be repeated

Eight clients upload documents of 30 paragraphs; then sixteen send searches of both kinds and invalid bodies. Each run
is printed; the table at the end has medians, and the speed as a ratio to the first setting in the same round, so that
other load affects both.`;

/** Undoes the memory settings that the program applies to itself (docs/performance.md). */
const UNSET = { MALLOC_ARENA_MAX: '0', NODE_OPTIONS: '--max-semi-space-size=16' };

const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'system defaults': UNSET,
  'arenas 2': { ...UNSET, MALLOC_ARENA_MAX: '2' },
  'semi-space 4': { ...UNSET, NODE_OPTIONS: '--max-semi-space-size=4' },
  'semi-space 4 in threads': {
    ...UNSET,
    NODE_OPTIONS: `${UNSET.NODE_OPTIONS} --import data:text/javascript,${encodeURIComponent(
      "import v8 from 'node:v8'; v8.setFlagsFromString('--max-semi-space-size=4')",
    )}`,
  },
  both: { MALLOC_ARENA_MAX: '2', NODE_OPTIONS: '--max-semi-space-size=4' },
  'as started': {},
};
const REST_MS = 3_000;

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '40' },
    requests: { type: 'string', default: '1200' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: [] as string[] },
    help: { type: 'boolean', default: false },
  },
});

/** Megabytes after a pause (`most`: peak of the service over its lifetime); documents and searches per second. */
interface Measured {
  readonly service: number;
  readonly most: number;
  readonly children: number;
  readonly ingest: number;
  readonly searches: number;
}

async function main(): Promise<void> {
  const unknown = values.only.filter((name) => !(name in SETTINGS));
  if (values.help || unknown.length > 0) {
    console.log(`${USAGE}\n\nSettings: ${Object.keys(SETTINGS).join(', ')}`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const names = Object.keys(SETTINGS).filter((name) => values.only.length === 0 || values.only.includes(name));
  const all = new Map(names.map((name) => [name, [] as Measured[]]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length] ?? '';
      const measured = await measure(SETTINGS[name] ?? {});
      all.get(name)?.push(measured);
      console.log(`${round + 1} ${name.padEnd(24)} ${JSON.stringify(measured)} load ${loadavg()[0]?.toFixed(1)}`);
    }
  }
  const first = all.get(names[0] ?? '') ?? [];
  console.log('\n| | service | at most | children | ingest ratio | searches ratio |\n|---|---|---|---|---|---|');
  for (const [name, runs] of all) {
    const of = (key: keyof Measured) => median(runs.map((run) => run[key])).toFixed(0);
    const ratio = (key: 'ingest' | 'searches') =>
      median(runs.map((run, round) => run[key] / (first[round]?.[key] ?? Number.NaN))).toFixed(2);
    const cells = [of('service'), of('most'), of('children')].map((cell) => `${cell} MB`);
    console.log(`| ${[name, ...cells, ratio('ingest'), ratio('searches')].join(' | ')} |`);
  }
}

const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};

async function measure(env: Readonly<Record<string, string>>): Promise<Measured> {
  const cwd = await mkdtemp(join(tmpdir(), 'citewell-memory-'));
  const server = await startCitewell({ cwd, env: { CITEWELL_LOG_LEVEL: 'silent', ...env }, startWithinMs: 90_000 });
  try {
    const rates = await load(createApi(() => server.url));
    await sleep(REST_MS);
    const own = await memoryOf(server.pid);
    const children = await descendantsOf(server.pid);
    const each = await Promise.all(children.map(async ({ pid }) => (await memoryOf(pid)).now));
    return { service: own.now, most: own.most, children: each.reduce((sum, one) => sum + one, 0), ...rates };
  } finally {
    await server.end('SIGTERM');
    await rm(cwd, { recursive: true, force: true });
  }
}

async function load(api: Api): Promise<Pick<Measured, 'ingest' | 'searches'>> {
  const random = seededRandom(7);
  const drafts = createDrafts(random);
  const ingest = await runConcurrently(8, Number(values.documents), async (place) => {
    const id = `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
    await api.put(drafts.draft(id, 1, 30), false);
  });
  const searches = await runConcurrently(16, Number(values.requests), async (place) => {
    const query = `the harbour of island ${place} `.repeat(place % 7 === 0 ? 400 : 1);
    const limit = place % 11 === 0 ? -1 : 20;
    await api.search(query, { leg: place % 2 === 0 ? 'semantic' : 'full_text', limit });
  });
  return { ingest, searches };
}

/** Lets concurrent callers do all actions; resolves with the number of actions per second. */
async function runConcurrently(callers: number, count: number, act: (place: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const call = async () => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  await Promise.all(Array.from({ length: callers }, call));
  return Number(((count * 1000) / (performance.now() - startedAt)).toFixed(2));
}

/** Current and peak resident memory in megabytes. */
async function memoryOf(pid: number): Promise<{ readonly now: number; readonly most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const read = (name: string) =>
    Math.round((Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024) / 1e6);
  return { now: read('VmRSS'), most: read('VmHWM') };
}

await main();
