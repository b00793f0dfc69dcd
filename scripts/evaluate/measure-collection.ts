import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { meanScores } from '../../src/evaluation/scores.ts';
import type { TestCollection } from '../../src/evaluation/test-collection.ts';
import { type CorpusDatabase, openCorpusDatabase } from '../corpus-database.ts';
import { askQueries } from './ask-queries.ts';
import type { CollectionRun } from './collection-run.ts';
import { ingestCollection } from './ingest-collection.ts';
import type { EvaluateOptions } from './options.ts';
import { type Service, startService } from './service.ts';
import { type Store, storeLabels, vectorIndexOf } from './stores.ts';

/** Lets the service select the embedder. */
const AUTO = 'auto';
const SHORT_NAMES: Readonly<Record<string, string>> = {
  hash: 'builtin/lexical-hash-v1',
  lsa: 'builtin/lsa-v1',
  static: 'builtin/static-v1',
};

export interface MeasuringOptions extends EvaluateOptions {
  readonly progress: (line: string) => void;
  readonly note: (line: string) => void;
}

/** Measures a collection on each store with each embedder and search mode. */
export async function* measureCollection(
  collection: TestCollection,
  options: MeasuringOptions,
  signal: AbortSignal,
): AsyncGenerator<CollectionRun, void> {
  // A configured embedder disables the automatic choice, which is therefore measured in a separate folder.
  const groups = [[AUTO], options.embedders.filter((embedder) => embedder !== AUTO)];
  for (const store of options.stores) {
    for (const embedders of options.embedders.includes(AUTO) ? groups : groups.slice(1)) {
      if (embedders.length > 0) yield* measureWith(collection, { ...options, embedders, store }, signal);
    }
  }
}

async function* measureWith(
  collection: TestCollection,
  options: MeasuringOptions & { readonly store: Store },
  signal: AbortSignal,
): AsyncGenerator<CollectionRun, void> {
  const { embedders, store, isWhole, isGraphOn, atOnce: concurrency, progress, note } = options;
  const hasTitles = !options.withoutTitles.some((prefix) => collection.name.startsWith(prefix));
  const temporary = options.data === undefined ? await mkdtemp(join(tmpdir(), 'citewell-evaluate-')) : undefined;
  const isAuto = embedders.includes(AUTO);
  const way = { isAuto, isWhole, isGraphOn, hasTitles };
  const folder = folderName(collection, store === 'sqlite' ? way : { ...way, store });
  const dataFolder = temporary ?? join(resolve(options.data ?? ''), folder);
  let service: Service | undefined;
  let database: CorpusDatabase | undefined;
  try {
    if (store !== 'sqlite' && options.database !== undefined) {
      const isKept = temporary === undefined;
      database = await openCorpusDatabase({
        url: options.database,
        corpus: folder,
        isKept,
        hasVectors: store === 'pgvector',
      });
    }
    const place = { databaseUrl: database?.url, vectorIndex: vectorIndexOf(store) };
    service = await startService({ dataFolder, isGraphOn, ...place }, signal);
    const reportDone = (done: number) => progress(`${collection.name}: ${done}/${collection.documentCount} documents`);
    const ingested = await ingestCollection({
      collection,
      service,
      dataFolder,
      hasTitles,
      isWhole,
      concurrency,
      progress: reportDone,
    });
    if (ingested.empty > 0) note(`${collection.name}: ${ingested.empty} documents without text are left out.`);
    const setup = {
      collection: collection.name,
      store,
      titles: hasTitles,
      graph: isGraphOn,
      among: options.among ?? null,
      typing_errors: options.hasTypingErrors,
      documents: ingested.names.size,
      passages: isWhole ? ('whole' as const) : ('split' as const),
      ingest_seconds: ingested.seconds ?? null,
    };
    for (const [index, embedder] of embedders.entries()) {
      progress(`${collection.name}, ${storeLabels[store]}: embedding for ${embedder}`);
      await useEmbedder(service, embedder);
      const { embedder: used, chunks } = await service.status();
      const queries = collection.queries.slice(0, options.queries);
      for (const mode of options.modes) {
        // Full-text search is independent of the embedder, so it is measured only once.
        if (mode === 'full_text' && index > 0) continue;
        const { cases, millisecondsPerQuery } = await askQueries({
          service,
          mode,
          queries,
          names: ingested.names,
          limit: options.limit,
          among: options.among,
          hasTypingErrors: options.hasTypingErrors,
          withGraph: isGraphOn,
          progress: (done) => progress(`${collection.name}, ${embedder}, ${mode}: ${done}/${queries.length} queries`),
        });
        yield {
          ...setup,
          embedder,
          embedded_with: used,
          mode,
          chunks,
          milliseconds_per_query: millisecondsPerQuery,
          means: meanScores(cases),
          queries: [...cases],
        };
      }
    }
  } finally {
    await service?.close();
    if (temporary !== undefined) {
      await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
      await database?.drop();
    }
  }
}

/** Switches to the embedder; with `auto`, waits until the service has trained its own, as it does for every user. */
async function useEmbedder(service: Service, name: string): Promise<void> {
  if (name === AUTO) return service.settle();
  await service.follow('/system/reindex', { model: SHORT_NAMES[name] ?? name });
}

/** Each combination of corpus and ingestion settings has its own folder. */
function folderName({ name, corpusHash }: TestCollection, way: object): string {
  const identity = JSON.stringify([corpusHash, way]);
  return `${name}-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`;
}
