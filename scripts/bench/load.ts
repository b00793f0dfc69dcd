import { Buffer } from 'node:buffer';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { defaultAdmin } from '../../src/access/principal.ts';
import { defaultCollectionId, documentId } from '../../src/documents/ids.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { embeddingText } from '../../src/ingest/embedding-text.ts';
import type { Corpus } from '../../src/store/corpus.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openStore, type RecordStoreOptions, type SqlStore } from '../../src/store/sql/open-store.ts';
import type { PseudoDocument, PseudoText } from './pseudo-text.ts';

/** Upper bound of `metadata.number`, which is uniformly distributed and which filters select by. */
export const NUMBERS = 1_000_000;

/** A plain FTS5 table with the same chunks, as in SQLite's manual. */
export interface BareFullText {
  add(texts: readonly string[]): void;
  search(query: string): unknown;
  close(): void;
}

export function openBareFullText(path: string): BareFullText {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = normal;
    create virtual table if not exists passages using fts5(text, tokenize = 'porter')`);
  const insert = database.prepare('insert into passages (text) values (?)');
  const select = database.prepare('select rowid, text from passages where passages match ? order by rank limit 10');
  return {
    add(texts) {
      database.exec('begin');
      for (const text of texts) insert.run(text);
      database.exec('commit');
    },
    search: (query) => select.all((query.match(/\w+/g) ?? []).map((word) => `"${word}"`).join(' OR ')),
    close: () => database.close(),
  };
}

/** Opens a record store of either engine. */
export type OpenRecords = (options: RecordStoreOptions) => Promise<SqlStore>;

export const recordsInFile =
  (path: string): OpenRecords =>
  (options) =>
    openStore({ path, ...options });

export interface Load {
  readonly open: OpenRecords;
  readonly text: PseudoText;
  readonly embedder: EmbeddingModel;
  /** A plain full-text table for comparison, which is filled as well. */
  readonly bare?: BareFullText;
  /** Documents and chunks that exist already. */
  readonly before: { readonly documents: number; readonly chunks: number };
  /** Target number of chunks. */
  readonly wanted: number;
  readonly onProgress: (line: string) => void;
}

const NOTHING: Load['before'] = { documents: 0, chunks: 0 };

/** Counts the documents and chunks in a database file; zero if the file does not exist. */
export function countInFile(path: string): Load['before'] {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']);
    return { documents: count('documents'), chunks: count('chunks') };
  } catch {
    return NOTHING;
  }
}

/** Counts the documents and chunks in a PostgreSQL database; zero if it has no tables yet. */
export async function countInDatabase(url: string): Promise<Load['before']> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('select to_regclass($1) is not null as is_made', ['documents']);
    if (!rows[0]?.is_made) return NOTHING;
    const count = async (table: string) =>
      Number((await client.query(`select count(*) as n from ${table}`)).rows[0]?.n);
    return { documents: await count('documents'), chunks: await count('chunks') };
  } finally {
    await client.end();
  }
}

const DOCUMENT_CONCURRENCY = 8;
const BARE_BATCH = 1_000;
const PROGRESS_EVERY = 1_000;

/**
 * Fills the records through the real corpus with an in-memory vector index: the real index is filled in one go when the
 * services start, which is faster. Returns the totals.
 */
export async function loadRecords(load: Load): Promise<Load['before']> {
  const { open, text, embedder, bare, before, wanted, onProgress } = load;
  const store = await open({ index: memoryVectorIndex(), embeddingText });
  await store.spaces.claim(await embedder.space());
  let { documents, chunks } = before;
  const forBare: string[] = [];
  let reported = chunks;
  const flush = () => bare?.add(forBare.splice(0));
  const writer = async () => {
    while (chunks < wanted) {
      const number = documents++;
      const document = text.document(number);
      chunks += document.paragraphs.length;
      await addDocument(store.corpus, embedder, { number, document });
      if (bare) forBare.push(...document.paragraphs);
      if (forBare.length >= BARE_BATCH) flush();
      if (chunks - reported >= PROGRESS_EVERY) {
        reported = chunks;
        onProgress(`loading ${chunks} of ${wanted} chunks`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: DOCUMENT_CONCURRENCY }, writer));
    flush();
  } finally {
    await store.close();
  }
  return { documents, chunks };
}

interface Numbered {
  readonly number: number;
  readonly document: PseudoDocument;
}

async function addDocument(corpus: Corpus, embedder: EmbeddingModel, { number, document }: Numbered): Promise<void> {
  const { title, paragraphs } = document;
  const ownerId = defaultAdmin.userId;
  const id = documentId(`bench ${number}`, ownerId);
  const text = paragraphs.join('\n\n');
  await corpus.begin({
    id,
    ownerId,
    collectionIds: [defaultCollectionId(ownerId)],
    type: 'txt',
    title,
    metadata: { number: spread(number) },
    source: null,
    fileName: `bench-${number}.txt`,
    mediaType: 'text/plain',
    bytes: Buffer.from(text),
    settings: {},
  });
  const vectors = await embedder.embed(
    paragraphs.map((paragraph) => embeddingText({ title, headingPath: [], text: paragraph })),
    'passage',
  );
  let start = 0;
  const chunks = paragraphs.map((paragraph, order) => {
    const chunk = {
      text: paragraph,
      order,
      start,
      end: start + paragraph.length,
      page: null,
      headingPath: [],
      vector: vectors[order] ?? new Float32Array(),
    };
    start = chunk.end + 2;
    return chunk;
  });
  await corpus.stage(id, chunks);
  await corpus.publish(id, { text, pages: [], summary: null, totalTokens: Math.ceil(text.length / 4) });
}

/** Spreads consecutive numbers over the range. */
const spread = (number: number): number => Number((BigInt(number) * 618_033_989n) % BigInt(NUMBERS));
