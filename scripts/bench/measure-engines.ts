import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { Services } from '../../src/compose/services.ts';
import { everything, type Filter } from '../../src/documents/filter.ts';
import { documentId } from '../../src/documents/ids.ts';
import { defaultSearchSettings, type SearchKind } from '../../src/retrieval/search-settings.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { type CorpusDatabase, hasPgvector, openCorpusDatabase } from '../corpus-database.ts';
import { countInDatabase, countInFile, loadRecords, recordsInFile } from './load.ts';
import { ingestAll, pseudoFiles } from './measure-ingest.ts';
import { kinds, numbersFrom, shares } from './measure-search.ts';
import type { PseudoText } from './pseudo-text.ts';
import { interleaved, type Timing, timed, timingOf, type Variant } from './timing.ts';
import { type Opened as OpenedServices, withServices } from './with-services.ts';
import type { EmbeddingServer } from './word-vectors.ts';

/** SQLite and PostgreSQL, each with its own Chroma, and PostgreSQL with pgvector. */
const engines = ['SQLite', 'PostgreSQL', 'pgvector'] as const;
export type Engine = (typeof engines)[number];
export type PerEngine<Value> = Readonly<Partial<Record<Engine, Value>>>;

/** The same corpus searched and ingested on several engines. */
export interface EngineFigures {
  /** The measured engines; includes pgvector only if the server has the extension. */
  readonly engines: readonly Engine[];
  readonly chunks: number;
  /** Load average during the searches. */
  readonly load: number;
  readonly search: readonly { readonly name: string; readonly timing: PerEngine<Timing> }[];
  /** Chunks per second into the records alone; only for engines whose records this run filled. */
  readonly loading: PerEngine<number>;
}

export interface EngineIngestFigures extends EngineFigures {
  /** Chunks per second of files through the ingestor; not measured if the corpus is kept, because it would grow. */
  readonly ingest?: PerEngine<number> | undefined;
}

export interface EngineBench {
  readonly folder: string;
  /** Whether the folder and databases are kept, and those of an earlier run are reused. */
  readonly isKept: boolean;
  /** URL of any database of the PostgreSQL server; the bench creates its own databases on that server. */
  readonly databaseUrl: string;
  readonly text: PseudoText;
  readonly chunks: number;
  readonly queries: readonly string[];
  /** Embedder of the corpus and queries. Not a lexical one, with which a semantic search would become a hybrid one. */
  readonly embeddings: EmbeddingServer;
  readonly onProgress: (line: string) => void;
  /** Called before ingestion is measured, which takes about as long again. */
  readonly onSearched: (figures: EngineFigures) => void;
}

const WARM_UPS = 8;
const WRITES = 24;
const LIMIT = 10;
const TURNS = 4;
const FILES_PER_TURN = 20;

export async function measureEngines(bench: EngineBench): Promise<EngineIngestFigures> {
  const { folder, chunks, text, queries, embeddings, onProgress, isKept } = bench;
  const { embedder, env } = embeddings;
  const url = bench.databaseUrl;
  const corpus = `bench ${isKept ? chunks : process.pid}`;
  const database = await openCorpusDatabase({ url, corpus, isKept });
  let copy: CorpusDatabase | undefined;
  try {
    const folders = { SQLite: join(folder, 'sqlite'), PostgreSQL: join(folder, 'postgres') };
    const dataFolder = join(folders.SQLite, '.citewell');
    const databaseFile = join(dataFolder, 'citewell.db');
    await mkdir(dataFolder, { recursive: true });
    const opens = {
      SQLite: recordsInFile(databaseFile),
      PostgreSQL: (options: Parameters<ReturnType<typeof recordsInFile>>[0]) =>
        openPostgresStore({ url: database.url, ...options }),
    };
    const stored = { SQLite: countInFile(databaseFile), PostgreSQL: await countInDatabase(database.url) };
    const loading: Partial<Record<Engine, number>> = {};
    for (const engine of ['SQLite', 'PostgreSQL'] as const) {
      const before = stored[engine];
      if (before.chunks >= chunks) continue;
      const reportLine = (line: string) => onProgress(`${engine}: ${line}`);
      let loaded = before;
      const took = await timed(async () => {
        loaded = await loadRecords({
          open: opens[engine],
          text,
          embedder,
          before,
          wanted: chunks,
          onProgress: reportLine,
        });
      });
      loading[engine] = (1000 * (loaded.chunks - before.chunks)) / took;
    }
    if (await hasPgvector(url)) {
      const way = { url, corpus: `${corpus} pgvector`, isKept, hasVectors: true, template: database.url };
      copy = await openCorpusDatabase(way);
    }
    const measure = async (opened: PerEngine<Services>): Promise<EngineIngestFigures> => {
      onProgress('searching');
      const measured = engines.filter((engine) => opened[engine] !== undefined);
      const all = new Map(measured.map((engine) => [engine, opened[engine] as Services]));
      const search = await searchAll(all, queries);
      const figures = { engines: measured, chunks, load: loadavg()[0] ?? Number.NaN, search, loading };
      bench.onSearched(figures);
      if (isKept) return figures;
      onProgress('ingesting');
      return { ...figures, ingest: await ingestAlike(all, text) };
    };
    onProgress('filling the indexes');
    const describeSqlite = ({ services: SQLite }: OpenedServices) =>
      withServices(folders.PostgreSQL, ({ services: PostgreSQL }) => all({ SQLite, PostgreSQL }), {
        ...env,
        CITEWELL_DATABASE_URL: database.url,
      });
    const all = (others: PerEngine<Services>) =>
      copy === undefined
        ? measure(others)
        : withServices(join(folder, 'pgvector'), ({ services: pgvector }) => measure({ ...others, pgvector }), {
            ...env,
            CITEWELL_DATABASE_URL: copy.url,
            CITEWELL_VECTOR_INDEX: 'pgvector',
          });
    return await withServices(folders.SQLite, describeSqlite, env);
  } finally {
    if (!isKept) {
      await database.drop();
      await copy?.drop();
    }
  }
}

type Opened = ReadonlyMap<Engine, Services>;

async function searchAll(opened: Opened, queries: readonly string[]): Promise<EngineFigures['search']> {
  const names: { readonly name: string; readonly kind: SearchKind; readonly filter: Filter }[] = kinds.flatMap(
    (kind) => [
      { name: `${kind}, no filter`, kind, filter: everything },
      ...shares.map((share) => ({ name: `${kind}, ${100 * share} %`, kind, filter: numbersFrom(0, share) })),
    ],
  );
  const variants = names.flatMap(({ name, kind, filter }) =>
    [...opened].map(
      ([engine, services]): Variant<string> => ({
        name: `${engine}: ${name}`,
        run: (query) => search(services, query, { kind, filter }),
      }),
    ),
  );
  const warm = await interleaved(variants, queries, WARM_UPS);
  const ofWarm = ({ name }: { readonly name: string }) => ({
    name,
    timing: perEngine(opened, (engine) => warm[`${engine}: ${name}`] ?? timingOf([])),
  });
  const afterWrite: EngineFigures['search'][number][] = [];
  for (const kind of kinds) {
    const took = new Map([...opened].map(([engine]): [Engine, number[]] => [engine, []]));
    for (const [changes, query] of queries.slice(0, WRITES).entries()) {
      for (const [engine, services] of opened) {
        await services.corpus.setMetadata(documentId('bench 0', defaultAdmin.userId), { changes }, 'merge');
        took.get(engine)?.push(await timed(() => search(services, query, { kind, filter: everything })));
      }
    }
    afterWrite.push({
      name: `${kind}, after a write`,
      timing: perEngine(opened, (engine) => timingOf(took.get(engine) ?? [])),
    });
  }
  return [...names.map(ofWarm), ...afterWrite];
}

function search(
  { retriever }: Services,
  query: string,
  { kind, filter }: { readonly kind: SearchKind; readonly filter: Filter },
) {
  const never = new AbortController().signal;
  return retriever.search(query, { ...defaultSearchSettings, kind, filter, limit: LIMIT }, never);
}

async function ingestAlike(opened: Opened, text: PseudoText): Promise<PerEngine<number>> {
  const spent = new Map<Engine, number>();
  let chunks = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const batch = pseudoFiles(text, turn * FILES_PER_TURN, FILES_PER_TURN);
    chunks += batch.chunks;
    for (const [engine, { ingestor }] of opened) {
      spent.set(engine, (spent.get(engine) ?? 0) + (await timed(() => ingestAll(ingestor, batch.files))));
    }
  }
  return perEngine(opened, (engine) => (1000 * chunks) / (spent.get(engine) ?? 0));
}

const perEngine = <Value>(opened: Opened, of: (engine: Engine) => Value): PerEngine<Value> =>
  Object.fromEntries([...opened.keys()].map((engine) => [engine, of(engine)]));
