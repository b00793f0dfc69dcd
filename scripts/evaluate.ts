import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultAdmin } from '../src/access/principal.ts';
import { loadConfig } from '../src/config.ts';
import { documentId } from '../src/documents/ids.ts';
import type { EmbeddingModel } from '../src/embeddings/embedding-model.ts';
import { createEmbeddingModel, LEARNED_EMBEDDING, LEXICAL_EMBEDDING } from '../src/embeddings/registry.ts';
import { embeddingText } from '../src/ingest/embedding-text.ts';
import { createRetriever } from '../src/retrieval/create-retriever.ts';
import type { Retriever } from '../src/retrieval/retriever.ts';
import { defaultSearchSettings, type SearchKind } from '../src/retrieval/search-settings.ts';
import { openEmbedder } from '../src/services/open-embedder.ts';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { createChunkSearch } from '../src/store/sql/chunk-search.ts';
import { openCollections } from '../src/store/sql/open-collections.ts';
import { openStore, type Store } from '../src/store/sql/open-store.ts';
import { meanMeasures, measureRanking, type RankingMeasures } from './ranking-measures.ts';
import { readTestCollection, type TestCollection } from './read-test-collection.ts';

const USAGE = `Measures search on test collections, through the real store and retriever.

  npm exec -- node scripts/evaluate.ts [options] FOLDER...

Each folder holds corpus.jsonl (id, title, text), queries.jsonl (id, text) and qrels.tsv.

  --embedder NAME    default ${LEXICAL_EMBEDDING}; ${LEARNED_EMBEDDING} is learned from each collection
  --limit N          hits asked for, default 100
  --no-titles NAME   leave the titles of folders whose name starts so out; may be repeated
  --json             print JSON instead of a table`;

const kinds: readonly SearchKind[] = ['full_text', 'semantic', 'hybrid'];

interface Evaluation extends RankingMeasures {
  readonly collection: string;
  readonly kind: SearchKind;
  readonly queries: number;
  readonly millisecondsPerQuery: number;
}

const options = {
  embedder: { type: 'string', default: LEXICAL_EMBEDDING },
  limit: { type: 'string', default: '100' },
  'no-titles': { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const limit = Number(values.limit);
  if (values.help || positionals.length === 0 || !Number.isInteger(limit) || limit < 1) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const config = loadConfig();
  const learns = values.embedder === LEARNED_EMBEDDING;
  const embedder = createEmbeddingModel(learns ? LEXICAL_EMBEDDING : values.embedder, {
    ...config,
    modelCacheDir: join(config.dataDir, 'cache'),
  });
  const evaluations: Evaluation[] = [];
  for (const folder of positionals) {
    const collection = await readTestCollection(folder);
    const hasTitles = !(values['no-titles'] ?? []).some((prefix) => collection.name.startsWith(prefix));
    evaluations.push(...(await evaluate(collection, { embedder, limit, hasTitles, learns })));
  }
  console.log(values.json ? JSON.stringify(evaluations, null, 2) : toTable(evaluations));
}

interface EvaluationOptions {
  readonly embedder: EmbeddingModel;
  readonly limit: number;
  readonly hasTitles: boolean;
  /** Move to what is learned from the collection before it is searched. */
  readonly learns: boolean;
}

async function evaluate(collection: TestCollection, options: EvaluationOptions): Promise<Evaluation[]> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-evaluate-'));
  const index = memoryVectorIndex();
  const store = await openStore({ path: join(folder, 'citewell.db'), index, embeddingText });
  try {
    const names = await ingest(store, collection, options);
    const chunks = createChunkSearch({
      search: store.sqlite.search,
      collections: openCollections(index),
      state: store.maintenance.state,
    });
    const embedder = options.learns ? await learnFrom(store) : options.embedder;
    const retriever = createRetriever({ chunks, embedder });
    const evaluations: Evaluation[] = [];
    for (const kind of kinds) evaluations.push(await ask(retriever, { collection, kind, names, limit: options.limit }));
    return evaluations;
  } finally {
    await store.close();
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Moves the corpus to what is learned from it, as a server would. */
async function learnFrom({ spaces, learned }: Store): Promise<EmbeddingModel> {
  const { embeddings, reindex, learner } = await openEmbedder({
    config: { embeddingModel: LEARNED_EMBEDDING },
    settings: { modelCacheDir: '' },
    preferred: LEARNED_EMBEDDING,
    spaces,
    learned,
    changes: { subscribe: () => () => {} },
    keep: false,
    log: { info: () => {}, warn: (_, message) => console.error(message) },
  });
  const { signal } = new AbortController();
  for await (const _ of reindex({ model: LEARNED_EMBEDDING, back: false }, signal));
  await learner.close();
  return embeddings;
}

const DOCUMENTS_AT_ONCE = 64;

/** Each document as one passage. Returns what its identifier here was there. */
async function ingest(
  { corpus, spaces }: Store,
  { documents }: TestCollection,
  { embedder, hasTitles }: EvaluationOptions,
): Promise<Map<string, string>> {
  await spaces.claim(await embedder.space());
  const names = new Map<string, string>();
  for (let at = 0; at < documents.length; at += DOCUMENTS_AT_ONCE) {
    const part = documents
      .slice(at, at + DOCUMENTS_AT_ONCE)
      .map((each) => ({ ...each, title: hasTitles ? each.title : '' }));
    const texts = part.map(({ title, text }) => embeddingText({ title, headingPath: [], text }));
    const vectors = await embedder.embed(texts, 'passage');
    for (const [place, { id: name, title, text }] of part.entries()) {
      const vector = vectors[place];
      if (vector === undefined) throw new Error(`The embedder gave no vector for ${name}.`);
      const id = documentId(name, defaultAdmin.userId);
      names.set(id, name);
      await corpus.begin({
        id,
        ownerId: defaultAdmin.userId,
        collectionIds: defaultAdmin.collectionIds,
        type: 'txt',
        title,
        metadata: {},
        source: null,
        fileName: `${name}.txt`,
        mediaType: 'text/plain',
        bytes: Buffer.from(text),
        settings: {},
      });
      const whole = { order: 0, start: 0, end: text.length, page: null, headingPath: [] };
      await corpus.stage(id, [{ ...whole, text, vector }]);
      await corpus.publish(id, { text, pages: [], summary: null, totalTokens: 0 });
    }
  }
  return names;
}

interface Asking {
  readonly collection: TestCollection;
  readonly kind: SearchKind;
  readonly names: ReadonlyMap<string, string>;
  readonly limit: number;
}

async function ask(retriever: Retriever, { collection, kind, names, limit }: Asking): Promise<Evaluation> {
  const { signal } = new AbortController();
  const measures: RankingMeasures[] = [];
  const start = performance.now();
  for (const { text, gains } of collection.queries) {
    const { chunks } = await retriever.search(text, { ...defaultSearchSettings, kind, limit }, signal);
    measures.push(
      measureRanking(
        chunks.map((chunk) => names.get(chunk.documentId) ?? ''),
        gains,
      ),
    );
  }
  const queries = collection.queries.length;
  const millisecondsPerQuery = (performance.now() - start) / Math.max(1, queries);
  return { collection: collection.name, kind, queries, ...meanMeasures(measures), millisecondsPerQuery };
}

function toTable(evaluations: readonly Evaluation[]): string {
  const rows = evaluations.map((each) => [
    each.collection,
    each.kind,
    String(each.queries),
    each.ndcgAt10.toFixed(4),
    each.recallAt100.toFixed(4),
    each.mrrAt10.toFixed(4),
    each.millisecondsPerQuery.toFixed(1),
  ]);
  const all = [['collection', 'search', 'queries', 'nDCG@10', 'Recall@100', 'MRR@10', 'ms/query'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

if (import.meta.main) await main();
