import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCitewell } from '../../test/support/run-citewell.ts';
import { chromasOn } from '../kill-test/processes.ts';
import { timingOf } from './timing.ts';

export interface StartFigures {
  /** Milliseconds from process start to the first response, to the first search, and to an up-to-date index. */
  readonly answers: number;
  readonly searches: number;
  readonly inStep: number;
  /** Median milliseconds of a search while the index is still being compared with SQLite. */
  readonly meanwhile: number;
  /** The same afterwards. */
  readonly warm: number;
  /** Milliseconds from SIGTERM to the end of the process. */
  readonly stops: number;
  readonly server: ResidentMemory;
  readonly chroma: ResidentMemory;
}

/** In megabytes. */
export interface ResidentMemory {
  readonly atStart: number;
  readonly afterSearches: number;
  /** After the searches and a time without any; undefined if that was not measured. */
  readonly atRest?: number | undefined;
}

const SEARCHES = 40;
/** Idle threads return memory after 10 to 20 seconds. */
const REST_MS = 25_000;
/** Allows for the migration of a large database of an earlier version. */
const START_WITHIN_MS = 900_000;

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How the process ends; SIGTERM by default. */
  readonly end?: 'SIGTERM' | 'SIGKILL';
  /** Called with the address of the server once its index is in step. */
  readonly inStep?: (url: string) => Promise<void>;
  /** Whether to measure the memory at rest, which takes half a minute. */
  readonly rests?: boolean;
}

/** Starts `citewell serve` on a folder as a separate process, and searches over HTTP. `folder` contains `.citewell`. */
export async function measureStart(
  folder: string,
  queries: readonly string[],
  options: StartOptions = {},
): Promise<StartFigures> {
  const startedAt = performance.now();
  const server = await startCitewell({
    cwd: folder,
    env: { CITEWELL_LOG_LEVEL: 'warn', ...options.env },
    startWithinMs: START_WITHIN_MS,
  });
  try {
    await (await fetch(`${server.url}/v3/health`)).json();
    const answers = performance.now() - startedAt;
    const search = async (query: string): Promise<number> => {
      const asked = performance.now();
      const response = await fetch(`${server.url}/v3/retrieval/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, search_settings: { use_hybrid_search: true } }),
      });
      const text = await response.text();
      if (!response.ok || !text.includes('"chunk_search_results":[{')) throw new Error(`The search failed: ${text}`);
      return performance.now() - asked;
    };
    const meanwhile = [await search(queries[0] ?? '')];
    const searches = performance.now() - startedAt;
    for (let turn = 1; !(await isInStep(server.url)); turn++) {
      meanwhile.push(await search(queries[turn % queries.length] ?? ''));
      await sleep(20);
    }
    const inStep = performance.now() - startedAt;
    const atStart = await memoryOf(folder, server.pid);
    const warm: number[] = [];
    for (let turn = 0; turn < SEARCHES; turn++) warm.push(await search(queries[turn % queries.length] ?? ''));
    const afterSearches = await memoryOf(folder, server.pid);
    if (options.rests) await sleep(REST_MS);
    const atRest = options.rests ? await memoryOf(folder, server.pid) : undefined;
    await options.inStep?.(server.url);
    const { milliseconds: stops } = await server.end(options.end ?? 'SIGTERM');
    return {
      answers,
      searches,
      inStep,
      meanwhile: timingOf(meanwhile).p50,
      warm: timingOf(warm).p50,
      stops,
      server: { atStart: atStart.server, afterSearches: afterSearches.server, atRest: atRest?.server },
      chroma: { atStart: atStart.chroma, afterSearches: afterSearches.chroma, atRest: atRest?.chroma },
    };
  } finally {
    await server.kill();
  }
}

/** The median of each figure over several starts, one after another; of the memory at rest, over the last three. */
export async function measureStarts(
  count: number,
  folder: string,
  queries: readonly string[],
  options: StartOptions = {},
): Promise<StartFigures> {
  const starts: StartFigures[] = [];
  for (let start = 1; start <= count; start++) {
    starts.push(await measureStart(folder, queries, { ...options, rests: start > count - 3 }));
  }
  const median = (figure: (start: StartFigures) => number) => timingOf(starts.map(figure)).p50;
  const memory = (process: 'server' | 'chroma') => ({
    atStart: median((start) => start[process].atStart),
    afterSearches: median((start) => start[process].afterSearches),
    atRest: timingOf(starts.flatMap((start) => start[process].atRest ?? [])).p50,
  });
  return {
    answers: median(({ answers }) => answers),
    searches: median(({ searches }) => searches),
    inStep: median(({ inStep }) => inStep),
    meanwhile: median(({ meanwhile }) => meanwhile),
    warm: median(({ warm }) => warm),
    stops: median(({ stops }) => stops),
    server: memory('server'),
    chroma: memory('chroma'),
  };
}

export async function isInStep(url: string): Promise<boolean> {
  return (await (await fetch(`${url}/v3/health`)).text()).includes('"state":"ready"');
}

async function memoryOf(folder: string, pid: number): Promise<{ readonly server: number; readonly chroma: number }> {
  const [chroma] = await chromasOn(`${folder}/.citewell`);
  return {
    server: await residentMegabytes(pid),
    chroma: chroma === undefined ? Number.NaN : await residentMegabytes(chroma.pid),
  };
}

/** Linux only; NaN on other systems. */
async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
