import './build-first.js';
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCitewell } from '../test/support/run-citewell.ts';
import { createPseudoText } from './bench/pseudo-text.ts';
import { serveEmbeddings, wordVectors } from './bench/word-vectors.ts';
import { chromasOn } from './kill-test/processes.ts';

const USAGE = `Measures the memory of the compiled service at rest: when its index is in step, after searches, and after
a pause; and the first searches after the pause. Linux only.

  node scripts/measure-rest.ts --folder DIR [--searches N] [--pause SECONDS] [--rounds N]

  --folder DIR   made by: npm run -s bench -- --part machine --chunks N --folder DIR
  --searches N   default 200, of three kinds in turn
  --pause S      default 75
  --rounds N     default 1

Each round is run twice: as the service is, and without returning memory at rest, in changing order. Settings of the
environment that begin with MALLOC_ or CITEWELL_ are passed on. The checksum is that of the ids of all hits in their order.`;

/** Makes every thread look busy, so that none returns its memory. */
const NEVER_AT_REST =
  '--import data:text/javascript,performance.eventLoopUtilization=()=>({idle:0,active:1,utilization:1})';

const DIMENSIONS = 384;
const NANOSECONDS = 1e6;
const KINDS = [
  { use_hybrid_search: true },
  { use_semantic_search: true, use_fulltext_search: false },
  { use_semantic_search: false, use_fulltext_search: true },
] as const;

/** In MB of 10⁶ bytes: resident (RSS), proportional (PSS), and anonymous memory. */
interface Memory {
  readonly resident: number;
  readonly proportional: number;
  readonly own: number;
}

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    searches: { type: 'string', default: '200' },
    pause: { type: 'string', default: '75' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help || values.folder === undefined) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const folder = await realpath(values.folder);
  using embeddings = await serveEmbeddings(wordVectors(DIMENSIONS, 1));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const returns of round % 2 === 0 ? [true, false] : [false, true]) {
      console.log(`\n${returns ? 'As it is' : 'Without returning memory'}:\n`);
      await measure(folder, { ...embeddings.env, ...(!returns && { NODE_OPTIONS: NEVER_AT_REST }) });
    }
  }
}

async function measure(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const passed = Object.entries(process.env).filter(([name]) => /^(?:MALLOC|CITEWELL)_/.test(name));
  const server = await startCitewell({
    cwd: folder,
    env: { CITEWELL_LOG_LEVEL: 'warn', ...env, ...(Object.fromEntries(passed) as Record<string, string>) },
    startWithinMs: 300_000,
  });
  const text = createPseudoText(1);
  const hits = createHash('sha256');
  const search = async (number: number): Promise<number> => {
    const startedAt = performance.now();
    const response = await fetch(`${server.url}/v3/retrieval/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text.query(number), search_settings: KINDS[number % KINDS.length] }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The search failed: ${answer}`);
    const milliseconds = performance.now() - startedAt;
    const { results } = JSON.parse(answer) as {
      readonly results: { readonly chunk_search_results: readonly { readonly id: string }[] };
    };
    hits.update(results.chunk_search_results.map(({ id }) => id).join());
    return milliseconds;
  };
  const report = async (when: string) => {
    const [chroma] = await chromasOn(`${folder}/.citewell`);
    const own = await memoryOf(server.pid);
    const other = chroma === undefined ? undefined : await memoryOf(chroma.pid);
    const cells = [own, other].map((each) =>
      each === undefined
        ? ''
        : `${each.resident.toFixed(0)} / ${each.proportional.toFixed(0)} / ${each.own.toFixed(0)}`,
    );
    const processor = `${(await processorTime(server.pid)).toFixed(0)} ms`;
    console.log(`| ${[when, ...cells, processor, loadavg()[0]?.toFixed(1)].join(' | ')} |`);
  };
  console.log('| | service: resident / proportional / own, MB | Chroma | processor time of the service | load |');
  console.log('|---|---|---|---|---|');
  try {
    while (!(await (await fetch(`${server.url}/v3/health`)).text()).includes('"state":"ready"')) await sleep(100);
    await report('in step');
    const count = Number(values.searches);
    for (let number = 0; number < count; number++) await search(number);
    await report(`after ${count} searches`);
    await sleep(Number(values.pause) * 1000);
    await report(`after ${values.pause} s`);
    const before = await processorTime(server.pid);
    const times: number[] = [];
    for (let number = 0; number < 2 * KINDS.length; number++) times.push(await search(number));
    const processor = ((await processorTime(server.pid)) - before).toFixed(0);
    await report('after six more');
    console.log(`The six took ${times.map((time) => time.toFixed(0)).join(', ')} ms, processor time ${processor} ms.`);
    console.log(`Hits: ${hits.digest('hex').slice(0, 16)}`);
  } finally {
    await server.end('SIGTERM');
  }
}

/** Processor time of all running threads in milliseconds. */
async function processorTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const line = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(line.split(' ')[0]);
    }),
  );
  return times.reduce((sum, time) => sum + time, 0) / NANOSECONDS;
}

async function memoryOf(pid: number): Promise<Memory> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const read = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024) / 1e6;
  return { resident: read('Rss'), proportional: read('Pss'), own: read('Anonymous') };
}

await main();
