import './build-first.js';
import { appendFile, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processOutput } from '../src/cli/output.ts';
import { readVersion } from '../src/version.ts';
import { comparisonLines, readFigures } from './bench/compare-figures.ts';
import type { Figures, SizeFigures } from './bench/figures.ts';
import { type EngineIngestFigures, measureEngines } from './bench/measure-engines.ts';
import { measureGraph } from './bench/measure-graph.ts';
import { type GraphIngestFigures, measureGraphIngest } from './bench/measure-graph-ingest.ts';
import { type IngestRates, measureIngest } from './bench/measure-ingest.ts';
import { measureLearning } from './bench/measure-learning.ts';
import { machineLines, measureMachine } from './bench/measure-machine.ts';
import { measurePeers } from './bench/measure-peers.ts';
import { type Loaded, measureSize } from './bench/measure-size.ts';
import { createPseudoText, type PseudoText } from './bench/pseudo-text.ts';
import {
  engineIngestLines,
  engineSearchLines,
  graphIngestLines,
  graphLines,
  ingestLines,
  learningLines,
  peerLines,
  sizeLines,
} from './bench/tables.ts';
import { withServices } from './bench/with-services.ts';
import { type EmbeddingServer, serveEmbeddings, wordVectors } from './bench/word-vectors.ts';

const USAGE = `Measures search, ingestion, graph extraction, start-up and memory, compared with plain Chroma and FTS5 on the same data.

  npm run -s bench -- [options]

  --chunks LIST  sizes of the corpus, rising; default 10000,100000, of --part postgres 3000 too
  --json FILE    writes all figures as JSON
  --history FILE appends all figures to a file of JSON lines (.jsonl)
  --compare FILE says what has become slower or faster since the run of that file of --json, or the last one of that
                 file of --history: each question is compared with itself, relative to the plain stores
  --quick        a small run, as a smoke test
  --part ingest  only files through the ingestor, beside a bare embedder and Chroma
  --part graph   only the cost of the graph in ingestion and search, at the smallest size
  --part lsa     only the cost of training an embedder on the corpus, at the largest size
  --part peers   only search beside MiniSearch, Orama and LanceDB, which it installs from npm into a temporary folder,
                 at the smallest size
  --part postgres  only search and ingestion on PostgreSQL beside SQLite, at each size; with Chroma, and where the
                   server has it, with pgvector
  --database URL   of a PostgreSQL server, for that; the bench makes a database of its own there, and drops it
  --part machine only how far one machine goes: 1,000,000 chunks with vectors of 384 dimensions, or --chunks, stored,
                 searched by a service while its index fills and after, stopped, killed and started again
  --folder DIR   where --part machine and --part postgres keep their corpus, which another run uses or enlarges; default a
                 temporary folder. With it, --part postgres keeps its databases, too, and does not measure ingestion
  --seed N       of the generated text and questions; default 1

Queries to the plain stores and to Citewell alternate, so that other load affects both: the ratios are meaningful.`;

const MOST_CHUNKS = 1_000_000;
/** Of the vectors in all parts except those that measure one machine and the built-in embedders. */
const DIMENSIONS = 768;
/** Searched by each kind of search; fewer leave the medians of the fast ones a tenth apart from run to run. */
const QUERIES = 320;

const options = {
  chunks: { type: 'string' },
  json: { type: 'string' },
  history: { type: 'string' },
  compare: { type: 'string' },
  quick: { type: 'boolean', default: false },
  part: { type: 'string' },
  database: { type: 'string' },
  folder: { type: 'string' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

const output = processOutput(process.stdout, process.stderr);

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const sizes = (
    values.chunks ?? (values.quick ? '3000' : values.part === 'postgres' ? '3000,10000,100000' : '10000,100000')
  )
    .split(',')
    .map(Number);
  const seed = Number(values.seed);
  const isRising = sizes.every((size, index) => Number.isInteger(size) && size > (sizes[index - 1] ?? 0));
  const isKnownPart =
    values.part === undefined || ['ingest', 'lsa', 'graph', 'peers', 'postgres', 'machine'].includes(values.part);
  const lacksDatabase = values.part === 'postgres' && values.database === undefined;
  if (values.help || !isRising || !Number.isInteger(seed) || !isKnownPart || lacksDatabase) {
    output.print(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (values.part === 'graph') {
    const figures = await measureGraphAlone(createPseudoText(seed), sizes[0] ?? 0, values.quick ? 20 : 120);
    output.print(graphIngestLines(figures).join('\n'));
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
    return;
  }
  if (values.part === 'lsa') {
    const text = createPseudoText(seed);
    const queries = Array.from({ length: 40 }, (_, number) => text.query(number));
    const figures = await measureLearning(text, sizes.at(-1) ?? 0, queries);
    output.print(learningLines(figures).join('\n'));
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
    return;
  }
  const before = values.compare === undefined ? undefined : await readFigures(values.compare);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'citewell-bench-')));
  try {
    if (values.part === 'machine') {
      const text = createPseudoText(seed);
      const chunks = values.chunks === undefined && !values.quick ? MOST_CHUNKS : (sizes.at(-1) ?? 0);
      const place = values.folder ?? folder;
      const figures = await measureMachine({ folder: place, text, chunks, seed, onProgress: output.status });
      output.print(machineLines(figures).join('\n'));
      if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
      return;
    }
    if (values.part === 'ingest') {
      const figures = await measureIngestAlone(folder, createPseudoText(seed), values.quick);
      output.print(ingestLines(figures).join('\n'));
      if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
      return;
    }
    using embeddings = await serveEmbeddings(wordVectors(DIMENSIONS, seed));
    if (values.part === 'postgres') {
      const isKept = values.folder !== undefined;
      const scope = { sizes, seed, isQuick: values.quick, embeddings, isKept, databaseUrl: values.database ?? '' };
      const figures = await measureOnEngines(values.folder ?? folder, scope);
      if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
      return;
    }
    if (values.part === 'peers') {
      const text = createPseudoText(seed);
      const queries = Array.from({ length: values.quick ? 20 : 80 }, (_, number) => text.query(number));
      const chunks = sizes[0] ?? 0;
      const figures = await measurePeers({ folder, text, chunks, queries, embeddings, onProgress: output.status });
      output.print(peerLines(figures).join('\n'));
      if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
      return;
    }
    const figures = await measure(folder, { sizes, seed, isQuick: values.quick, embeddings });
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
    if (values.history !== undefined) await appendFile(values.history, `${JSON.stringify(figures)}\n`);
    if (before !== undefined) output.print(comparisonLines(before, figures).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureIngestAlone(folder: string, text: PseudoText, isQuick: boolean): Promise<IngestRates> {
  return withServices(join(folder, 'ingest'), async ({ services, updateIndex, chroma }) => {
    output.status('ingesting');
    // The same distance as in our collections, and no embedding function of the client.
    const configuration = { hnsw: { space: 'cosine' } } as const;
    const bare = await chroma.createCollection({ name: 'bare', embeddingFunction: null, configuration });
    const { ingestor, embeddings: embedder } = services;
    const documents = isQuick ? 20 : 120;
    return measureIngest({ ingestor, updateIndex, embedder, text, chroma: bare, documents });
  });
}

async function measureGraphAlone(text: PseudoText, chunks: number, queries: number): Promise<GraphIngestFigures> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'citewell-bench-')));
  try {
    return await withServices(join(folder, 'graph'), ({ services }) =>
      measureGraphIngest(services, { text, chunks, queries }, (done) => output.status(`${done} of ${chunks} chunks`)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureOnEngines(
  folder: string,
  { sizes, seed, isQuick, embeddings, isKept, databaseUrl }: Scope & EngineScope,
): Promise<EngineIngestFigures[]> {
  const text = createPseudoText(seed);
  const queries = Array.from({ length: isQuick ? 20 : 80 }, (_, number) => text.query(number));
  const measured: EngineIngestFigures[] = [];
  for (const chunks of sizes) {
    const own = join(folder, String(chunks));
    const figures = await measureEngines({
      folder: own,
      isKept,
      databaseUrl,
      text,
      chunks,
      queries,
      embeddings,
      onProgress: output.status,
      onSearched: (searched) => output.print(engineSearchLines(searched).join('\n')),
    });
    measured.push(figures);
    output.print(engineIngestLines(figures).join('\n'));
    if (!isKept) await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
  return measured;
}

interface EngineScope {
  readonly databaseUrl: string;
  readonly isKept: boolean;
}

interface Scope {
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly isQuick: boolean;
  readonly embeddings: EmbeddingServer;
}

async function measure(folder: string, { sizes, seed, isQuick, embeddings }: Scope): Promise<Figures> {
  const text = createPseudoText(seed);
  const queries = Array.from({ length: isQuick ? 20 : QUERIES }, (_, number) => text.query(number));
  const print = (lines: readonly string[]) => output.print(lines.join('\n'));

  const ingest = await measureIngestAlone(folder, text, isQuick);
  print(ingestLines(ingest));
  output.status('extracting a graph');
  const graph = await measureGraph(text, isQuick ? 20 : 200);
  print(graphLines(graph, ingest));

  const measured: SizeFigures[] = [];
  let before: Loaded = { documents: 0, chunks: 0 };
  for (const wanted of sizes) {
    const { loaded, figures } = await measureSize({
      folder: join(folder, 'search'),
      wanted,
      before,
      text,
      queries,
      embeddings,
      onProgress: output.status,
    });
    before = loaded;
    measured.push(figures);
    print(sizeLines(figures));
  }
  return {
    date: new Date().toISOString(),
    version: readVersion(),
    cores: cpus().length,
    seed,
    ingest,
    graph,
    sizes: measured,
  };
}

await main();
