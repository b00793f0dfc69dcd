import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ChromaClient } from 'chromadb';
import { member } from './api.ts';

/** A document as stored. */
export interface FoundDocument {
  readonly id: string;
  readonly status: string;
  readonly failure: string | null;
  readonly chunkCount: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The file as text, with CR LF (from forms) converted to LF. */
  readonly bytes: string;
  readonly chunks: readonly FoundChunk[];
  /** The stored files of earlier versions, by label. */
  readonly versions: ReadonlyMap<string, string>;
}

export interface FoundChunk {
  readonly key: number;
  readonly ordinal: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The database, read directly from its file. */
export interface FoundRecords {
  readonly documents: ReadonlyMap<string, FoundDocument>;
  /** Number of chunks without a document, or of a generation that is not current. */
  readonly leftovers: number;
  readonly fullTextKeys: ReadonlySet<number>;
  readonly vectors: ReadonlyMap<number, Float32Array>;
  readonly dimensions: number;
  /** Collection name of the current vector space. */
  readonly collection: string;
  readonly pending: number;
  /** Problems with stored versions. */
  readonly versionProblems: readonly string[];
  /** Findings of SQLite's integrity check. */
  readonly damage: readonly string[];
  /** Keys of the chunks with this term in the full-text index. */
  keysWith(term: string): readonly number[];
  close(): void;
}

export function readRecords(dataFolder: string): FoundRecords {
  const database = new DatabaseSync(join(dataFolder, 'citewell.db'), { readOnly: true, timeout: 10_000 });
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  // Reads from one snapshot while the service continues.
  database.exec('begin');
  const chunksOf = Map.groupBy(
    all(`select c.key, c.ordinal, c.text, c.start_offset, c.end_offset, d.id from chunks c
      join documents d on d.key = c.document_key and d.generation = c.generation order by c.document_key, c.ordinal`),
    (row) => String(row['id']),
  );
  const versionsOf = Map.groupBy(
    all(`select d.id, v.version, f.bytes from document_versions v join documents d on d.key = v.document_key
      left join version_files f on f.version_key = v.key where v.retired_at is null`),
    (row) => String(row['id']),
  );
  const documents = all(`select d.*, t.text, f.bytes from documents d
    left join document_texts t on t.document_key = d.key left join document_files f on f.document_key = d.key`);
  const [space] = all("select key, dimensions, collection from vector_spaces where state = 'current'");
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
          versions: new Map(
            (versionsOf.get(String(row['id'])) ?? []).map((version) => [
              String(version['version']),
              version['bytes'] instanceof Uint8Array ? toText(version['bytes']) : '',
            ]),
          ),
        },
      ]),
    ),
    leftovers: countOf(`select count(*) as count from chunks c left join documents d on d.key = c.document_key
      where d.key is null or d.generation <> c.generation`),
    fullTextKeys: new Set(all('select id from chunk_terms_docsize').map((row) => Number(row['id']))),
    vectors: new Map(vectors.map((row) => [Number(row['chunk_key']), toFloats(row['vector'])])),
    dimensions: Number(space?.['dimensions'] ?? 0),
    collection: String(space?.['collection'] ?? ''),
    pending: countOf('select count(*) as count from outbox'),
    versionProblems: Object.entries(versionProblems).flatMap(([trouble, sql]) => {
      const count = countOf(`select count(*) as count from (${sql})`);
      return count === 0 ? [] : [`${count} ${trouble}.`];
    }),
    damage: [
      ...all('pragma quick_check').map((row) => String(row['quick_check'])),
      ...all('pragma foreign_key_check').map((row) => `a row of ${row['table']} refers to nothing`),
    ].filter((line) => line !== 'ok'),
    keysWith: (term) =>
      all('select rowid from chunk_terms where chunk_terms match ?', `"${term}"`).map((row) => Number(row['rowid'])),
    close: () => database.close(),
  };
}

/** Description → query that returns no rows in a consistent database. */
const versionProblems: Readonly<Record<string, string>> = {
  'places of versions lead to no passage': `select 1 from version_chunks
    where chunk_key not in (select key from chunks union select key from past_chunks)`,
  'passages are kept for no version': `select 1 from past_chunks
    where key not in (select chunk_key from version_chunks)`,
  'passages are present and past at once': 'select 1 from past_chunks where key in (select key from chunks)',
  'past passages have no vector': `select 1 from past_chunks p where not exists (
    select 1 from past_chunk_vectors v join vector_spaces s on s.key = v.space_key and s.state = 'current'
    where v.chunk_key = p.key)`,
  'past passages have no full-text entry': `select 1 from past_chunks
    where key not in (select id from past_chunk_terms_docsize)`,
  'full-text entries are of no past passage': `select 1 from past_chunk_terms_docsize
    where id not in (select key from past_chunks)`,
  'versions lack passages, or have too many': `select 1 from document_versions v where retired_at is null
    and chunk_count <> (select count(*) from version_chunks m where m.version_key = v.key)`,
  'versions lack their text or file': `select 1 from document_versions v where retired_at is null
    and (not exists (select 1 from version_texts t where t.version_key = v.key)
      or not exists (select 1 from version_files f where f.version_key = v.key))`,
  'passages of versions are not where they say in its text': `
    select 1 from version_chunks m join version_texts t on t.version_key = m.version_key
    left join chunks c on c.key = m.chunk_key left join past_chunks p on p.key = m.chunk_key
    where substr(t.text, m.start_offset + 1, m.end_offset - m.start_offset) <> coalesce(c.text, p.text)`,
  'versions overlap in time, or leave a gap': `select 1 from document_versions v join documents d on d.key = v.document_key
    where valid_to <> coalesce(
      (select min(n.valid_from) from document_versions n where n.document_key = v.document_key and n.key > v.key),
      d.published_at)`,
  'passages are still set aside for an ingestion': 'select 1 from kept_chunks',
  'files of what is seen are kept without a successor': `select 1 from visible_originals o
    join documents d on d.key = o.document_key where d.submitted is null`,
};

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');

function toFloats(value: unknown): Float32Array {
  if (!(value instanceof Uint8Array)) return new Float32Array();
  return new Float32Array(value.slice().buffer);
}

/** The vector index, read with Chroma's client. */
export interface FoundIndex {
  readonly keys: ReadonlySet<number>;
  /** Returns the stored vectors of these keys. */
  vectorsOf(keys: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Returns the nearest keys, best first. */
  nearest(vector: Float32Array, limit: number): Promise<readonly number[]>;
}

const PAGE = 2_000;

/** Reads the current collection; `name` is its name in SQLite. */
export async function readIndex(port: number, name: string): Promise<FoundIndex> {
  const client = new ChromaClient({ host: '127.0.0.1', port, ssl: false });
  const collection = client.collection(await findCollection(port, name));
  const keys = new Set<number>();
  for (let offset = 0; ; offset += PAGE) {
    const { ids } = await collection.get({ include: [], limit: PAGE, offset });
    for (const id of ids) keys.add(Number(id));
    if (ids.length < PAGE) break;
  }
  return {
    keys,
    async vectorsOf(wanted) {
      // The client rejects an empty list, which occurs if the kill came before the first document.
      if (wanted.length === 0) return new Map();
      const { ids, embeddings } = await collection.get({ ids: wanted.map(String), include: ['embeddings'] });
      return new Map(ids.map((id, index) => [Number(id), embeddings[index] ?? []]));
    },
    async nearest(vector, limit) {
      const { ids } = await collection.query({ queryEmbeddings: [Array.from(vector)], nResults: limit, include: [] });
      return (ids[0] ?? []).map(Number);
    },
  };
}

// Not through the client, which would try to load the embedding function of each collection.
async function findCollection(port: number, name: string): Promise<string> {
  const path = '/api/v2/tenants/default_tenant/databases/default_database/collections';
  const collections: unknown = await (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  const found = Array.isArray(collections)
    ? collections.find((each) => member(each, 'name') === `citewell-${name}`)
    : undefined;
  if (found !== undefined) return String(member(found, 'id'));
  throw new Error(`Chroma has no collection ${name}: ${JSON.stringify(collections).slice(0, 500)}`);
}
