import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ChromaClient } from 'chromadb';
import { member } from './api.ts';

/** What is on disk of one document. */
export interface FoundDocument {
  readonly id: string;
  readonly status: string;
  readonly failure: string | null;
  readonly chunkCount: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** As text, each line ending in a bare newline: forms travel with others. */
  readonly bytes: string;
  readonly chunks: readonly FoundChunk[];
}

export interface FoundChunk {
  readonly key: number;
  readonly ordinal: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The database as a stranger with the file reads it. */
export interface FoundRecords {
  readonly documents: ReadonlyMap<string, FoundDocument>;
  /** Chunks of another generation than their document's, or of none. */
  readonly leftovers: number;
  readonly fullTextKeys: ReadonlySet<number>;
  readonly vectors: ReadonlyMap<number, Float32Array>;
  readonly dimensions: number;
  readonly owed: number;
  /** What SQLite itself says is wrong with the file. */
  readonly damage: readonly string[];
  /** Keys of the passages that have this term in the full-text index. */
  keysWith(term: string): readonly number[];
  close(): void;
}

export function readRecords(dataFolder: string): FoundRecords {
  const database = new DatabaseSync(join(dataFolder, 'citewell.db'), { readOnly: true, timeout: 10_000 });
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  // One view of everything; the service goes on beside it.
  database.exec('begin');
  const chunksOf = Map.groupBy(
    all(`select c.key, c.ordinal, c.text, c.start_offset, c.end_offset, d.id from chunks c
      join documents d on d.key = c.document_key and d.generation = c.generation order by c.key`),
    (row) => String(row['id']),
  );
  const documents = all(`select d.*, t.text, f.bytes from documents d
    left join document_texts t on t.document_key = d.key left join document_files f on f.document_key = d.key`);
  const [space] = all("select key, dimensions from vector_spaces where state = 'current'");
  const vectors =
    space === undefined ? [] : all(`select chunk_key, vector from chunk_vectors where space_key = ${space['key']}`);
  const countOf = (sql: string): number => Number(all(sql)[0]?.['count']);
  return {
    documents: new Map(
      documents.map((row) => [
        String(row['id']),
        {
          id: String(row['id']),
          status: String(row['ingestion_status']),
          failure: row['failure'] === null ? null : String(row['failure']),
          chunkCount: Number(row['chunk_count']),
          metadata: JSON.parse(String(row['metadata'])),
          text: String(row['text']),
          bytes: row['bytes'] instanceof Uint8Array ? toText(row['bytes']) : '',
          chunks: (chunksOf.get(String(row['id'])) ?? []).map((chunk) => ({
            key: Number(chunk['key']),
            ordinal: Number(chunk['ordinal']),
            text: String(chunk['text']),
            start: Number(chunk['start_offset']),
            end: Number(chunk['end_offset']),
          })),
        },
      ]),
    ),
    leftovers: countOf(`select count(*) as count from chunks c left join documents d on d.key = c.document_key
      where d.key is null or d.generation <> c.generation`),
    fullTextKeys: new Set(all('select id from chunk_terms_docsize').map((row) => Number(row['id']))),
    vectors: new Map(vectors.map((row) => [Number(row['chunk_key']), toFloats(row['vector'])])),
    dimensions: Number(space?.['dimensions'] ?? 0),
    owed: countOf('select count(*) as count from outbox'),
    damage: [
      ...all('pragma quick_check').map((row) => String(row['quick_check'])),
      ...all('pragma foreign_key_check').map((row) => `a row of ${row['table']} refers to nothing`),
    ].filter((line) => line !== 'ok'),
    keysWith: (term) =>
      all('select rowid from chunk_terms where chunk_terms match ?', `"${term}"`).map((row) => Number(row['rowid'])),
    close: () => database.close(),
  };
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');

function toFloats(value: unknown): Float32Array {
  if (!(value instanceof Uint8Array)) return new Float32Array();
  return new Float32Array(value.slice().buffer);
}

/** The vector index as its own client reads it. */
export interface FoundIndex {
  readonly keys: ReadonlySet<number>;
  /** The stored vectors of these. */
  vectorsOf(keys: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
  /** The nearest keys, best first. */
  nearest(vector: Float32Array, limit: number): Promise<readonly number[]>;
}

const PAGE = 2_000;

export async function readIndex(port: number): Promise<FoundIndex> {
  const client = new ChromaClient({ host: '127.0.0.1', port, ssl: false });
  const collection = client.collection(await onlyCollection(port));
  const keys = new Set<number>();
  for (let offset = 0; ; offset += PAGE) {
    const { ids } = await collection.get({ include: [], limit: PAGE, offset });
    for (const id of ids) keys.add(Number(id));
    if (ids.length < PAGE) break;
  }
  return {
    keys,
    async vectorsOf(wanted) {
      const { ids, embeddings } = await collection.get({ ids: wanted.map(String), include: ['embeddings'] });
      return new Map(ids.map((id, place) => [Number(id), embeddings[place] ?? []]));
    },
    async nearest(vector, limit) {
      const { ids } = await collection.query({ queryEmbeddings: [Array.from(vector)], nResults: limit, include: [] });
      return (ids[0] ?? []).map(Number);
    },
  };
}

// The client's own list would look for an embedder for each.
async function onlyCollection(port: number): Promise<string> {
  const path = '/api/v2/tenants/default_tenant/databases/default_database/collections';
  const collections: unknown = await (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  if (Array.isArray(collections) && collections.length === 1) return String(member(collections[0], 'id'));
  throw new Error(`Chroma has other collections than one: ${JSON.stringify(collections).slice(0, 500)}`);
}
