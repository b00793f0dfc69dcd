import { mkdir, readdir, stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromasOn } from '../kill-test/processes.ts';
import { countInFile, loadRecords, NUMBERS, recordsInFile } from './load.ts';
import { isInStep, measureStart, type StartFigures } from './measure-start.ts';
import type { PseudoText } from './pseudo-text.ts';
import { interleaved, type Timing, timed, timingOf } from './timing.ts';
import { serveEmbeddings, wordVectors } from './word-vectors.ts';

const DIMENSIONS = 384;
const QUERIES = 60;
const WARM_UPS = 5;
const AFTER_WRITES = 8;
/** Between two searches while the index is not in step. */
const PAUSE_MS = 20;
const MEGABYTE = 1_000_000;

type Searched = 'full text' | 'semantic' | 'hybrid' | 'hybrid, 1 %' | 'hybrid, 50 %' | 'hybrid, after a write';

/** Figures of one machine with a corpus of this size. */
export interface MachineFigures {
  readonly chunks: number;
  /** Chunks per second into SQLite; NaN if an earlier run had stored them. */
  readonly loading: number;
  /** The first start, which fills the index; one after a clean shutdown; and one after SIGKILL. */
  readonly starts: Readonly<Record<'filling' | 'again' | 'killed', StartFigures>>;
  readonly searches: Readonly<Record<Searched, Timing>>;
  /** A hybrid search in a warm process after Chroma was killed, until the index is in step again. */
  readonly recovering: Timing;
  /** Megabytes. */
  readonly disk: { readonly database: number; readonly index: number };
  readonly load: number;
}

export interface MachineBench {
  /** Contains `.citewell`; the data of an earlier run is reused. */
  readonly folder: string;
  readonly text: PseudoText;
  readonly chunks: number;
  readonly seed: number;
  readonly onProgress: (line: string) => void;
}

export async function measureMachine(bench: MachineBench): Promise<MachineFigures> {
  const { folder, text, seed, onProgress } = bench;
  const dataFolder = join(folder, '.citewell');
  const databaseFile = join(dataFolder, 'citewell.db');
  await mkdir(dataFolder, { recursive: true });
  const embedder = wordVectors(DIMENSIONS, seed);
  const before = countInFile(databaseFile);
  let loaded = before;
  const loading = await timed(async () => {
    if (before.chunks >= bench.chunks) return;
    loaded = await loadRecords({
      open: recordsInFile(databaseFile),
      text,
      embedder,
      before,
      wanted: bench.chunks,
      onProgress,
    });
  });
  const queries = Array.from({ length: QUERIES }, (_, number) => text.query(number));
  using embeddings = await serveEmbeddings(embedder);
  const { env } = embeddings;
  onProgress('filling the index');
  const filling = await measureStart(folder, queries, { env });
  onProgress('searching');
  let searches: MachineFigures['searches'] | undefined;
  let recovering: Timing | undefined;
  const inStep = async (url: string) => {
    searches = await measureServed(url, queries);
    recovering = await measureRecovery(url, { dataFolder, queries });
  };
  const again = await measureStart(folder, queries, { env, inStep, end: 'SIGKILL' });
  onProgress('starting after the kill');
  const killed = await measureStart(folder, queries, { env });
  if (searches === undefined || recovering === undefined) throw new Error('The service was not searched.');
  return {
    chunks: loaded.chunks,
    loading: loaded.chunks === before.chunks ? Number.NaN : (1000 * (loaded.chunks - before.chunks)) / loading,
    starts: { filling, again, killed },
    searches,
    recovering,
    disk: {
      database: (await bytesOf(databaseFile)) / MEGABYTE,
      index: (await bytesOf(join(dataFolder, 'chroma'))) / MEGABYTE,
    },
    load: loadavg()[0] ?? Number.NaN,
  };
}

async function bytesOf(path: string): Promise<number> {
  const entry = await stat(path);
  if (!entry.isDirectory()) return entry.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytesOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const hybrid = { use_hybrid_search: true };

async function searchOver(url: string, query: string, settings: object): Promise<void> {
  const response = await fetch(`${url}/v3/retrieval/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, search_settings: settings }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The search failed: ${answer}`);
}

interface Recovery {
  readonly dataFolder: string;
  readonly queries: readonly string[];
}

async function measureRecovery(url: string, { dataFolder, queries }: Recovery): Promise<Timing> {
  const [chroma] = await chromasOn(dataFolder);
  if (chroma === undefined) throw new Error('No Chroma runs.');
  process.kill(chroma.pid, 'SIGKILL');
  const each: number[] = [];
  for (let wasAway = false, turn = 0; ; turn++) {
    each.push(await timed(() => searchOver(url, queries[turn % queries.length] ?? '', hybrid)));
    const inStep = await isInStep(url);
    if (wasAway && inStep) return timingOf(each);
    wasAway ||= !inStep;
    await sleep(PAUSE_MS);
  }
}

async function measureServed(url: string, queries: readonly string[]): Promise<MachineFigures['searches']> {
  const search = (query: string, settings: object) => searchOver(url, query, settings);
  const within = (share: number) => ({ ...hybrid, filters: { 'metadata.number': { $lt: share * NUMBERS } } });
  const variants = {
    'full text': { use_semantic_search: false, use_fulltext_search: true },
    semantic: { use_semantic_search: true, use_fulltext_search: false },
    hybrid,
    'hybrid, 1 %': within(0.01),
    'hybrid, 50 %': within(0.5),
  };
  const warm = await interleaved(
    Object.entries(variants).map(([name, settings]) => ({
      name: name as keyof typeof variants,
      run: (query: string) => search(query, settings),
    })),
    queries,
    WARM_UPS,
  );
  const afterWrites: number[] = [];
  for (const [turn, query] of queries.slice(0, AFTER_WRITES).entries()) {
    const form = new FormData();
    form.set('raw_text', `${query}. A short note, number ${turn} of ${Date.now()}.`);
    const written = await fetch(`${url}/v3/documents`, { method: 'POST', body: form });
    if (!written.ok) throw new Error(`The document was refused: ${await written.text()}`);
    afterWrites.push(await timed(() => search(query, hybrid)));
  }
  return { ...warm, 'hybrid, after a write': timingOf(afterWrites) };
}

export function machineLines(figures: MachineFigures): string[] {
  const { chunks, loading, starts, searches, recovering, disk, load } = figures;
  const round = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(value < 10 ? 1 : 0));
  const startRow = (name: string, { answers, searches: first, meanwhile, inStep, server, chroma }: StartFigures) =>
    `| ${name} | ${[answers, first, meanwhile, inStep].map(round).join(' | ')} | ${server.afterSearches} | ${chroma.afterSearches} |`;
  return [
    `${chunks} chunks of ${DIMENSIONS} dimensions (load average ${load.toFixed(1)}): ` +
      `${round(loading)} chunks/s stored, database ${round(disk.database)} MB, index ${round(disk.index)} MB`,
    '',
    '| search over HTTP, ms | p50 | p95 |',
    '|---|---|---|',
    ...Object.entries({ ...searches, 'hybrid, after Chroma was killed': recovering }).map(
      ([name, { p50, p95 }]) => `| ${name} | ${round(p50)} | ${round(p95)} |`,
    ),
    '',
    '| start, ms | first answer | first search | a search until the index is in step, p50 | in step | server, MB | Chroma, MB |',
    '|---|---|---|---|---|---|---|',
    startRow('fills the index', starts.filling),
    startRow('after an orderly end', starts.again),
    startRow('after a kill', starts.killed),
  ];
}
