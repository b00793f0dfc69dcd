import './build-first.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { descendantsOf } from '../test/support/descendants.ts';
import { startCitewell } from '../test/support/run-citewell.ts';
import { type Api, createApi } from './kill-test/api.ts';
import { createDrafts } from './kill-test/draft.ts';
import { seededRandom } from './seeded-random.ts';

const USAGE = `Measures the resident memory of the compiled service and its children under the same load, with each of some
settings of the allocator and of V8.

  node scripts/measure-memory.ts [--documents N] [--requests N] [--only NAME]

Documents of 30 paragraphs come in from eight callers; then sixteen send searches of both kinds and bodies that are
wrong. In megabytes, after a pause: what each process has, and the most that the service ever had.`;

const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'as it is': {},
  arenas: { MALLOC_ARENA_MAX: '2' },
  'semi-space 4': { NODE_OPTIONS: '--max-semi-space-size=4' },
  both: { MALLOC_ARENA_MAX: '2', NODE_OPTIONS: '--max-semi-space-size=4' },
};
const REST_MS = 3_000;

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '150' },
    requests: { type: 'string', default: '4000' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else {
  for (const [name, env] of Object.entries(SETTINGS)) {
    if (values.only === undefined || values.only === name) console.log(`${name}: ${await measure(env)}`);
  }
}

async function measure(env: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'citewell-memory-'));
  const server = await startCitewell({ cwd, env: { CITEWELL_LOG_LEVEL: 'silent', ...env }, startWithinMs: 90_000 });
  try {
    const begun = performance.now();
    await load(createApi(() => server.url));
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    await sleep(REST_MS);
    const own = await memoryOf(server.pid);
    const children = await Promise.all(
      (await descendantsOf(server.pid)).map(async ({ pid, command }) => {
        const [, program = command] = /([a-z-]+)\.js/.exec(command.slice(command.indexOf(' '))) ?? [];
        return `${program} ${(await memoryOf(pid)).now}`;
      }),
    );
    return [`service ${own.now}, at most ${own.most}`, ...children.sort(), `${seconds} s`].join('; ');
  } finally {
    await server.end('SIGTERM');
    await rm(cwd, { recursive: true, force: true });
  }
}

async function load(api: Api): Promise<void> {
  const random = seededRandom(7);
  const drafts = createDrafts(random);
  await inTurn(8, Number(values.documents), async (place) => {
    const id = `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
    await api.put(drafts.draft(id, 1, 30), false);
  });
  await inTurn(16, Number(values.requests), async (place) => {
    const query = `the harbour of island ${place} `.repeat(place % 7 === 0 ? 400 : 1);
    const limit = place % 11 === 0 ? -1 : 20;
    await api.search(query, { leg: place % 2 === 0 ? 'semantic' : 'full_text', limit });
  });
}

async function inTurn(callers: number, count: number, act: (place: number) => Promise<void>): Promise<void> {
  let next = 0;
  const call = async () => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  await Promise.all(Array.from({ length: callers }, call));
}

/** In megabytes. */
async function memoryOf(pid: number): Promise<{ readonly now: number; readonly most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const read = (name: string) =>
    Math.round((Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024) / 1e6);
  return { now: read('VmRSS'), most: read('VmHWM') };
}
