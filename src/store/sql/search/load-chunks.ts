import type { SQLInputValue } from 'node:sqlite';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata, Outline } from '../../../documents/document.ts';
import { withPlaces } from '../../../documents/places.ts';
import { type ChunkParent, toChunk } from '../documents/chunk-rows.ts';
import { cachedOutlines, cacheOutline, TEXT_STATE, type TextStates } from './outline-cache.ts';
import { PAST_DOCUMENTS, VERSION_CHUNKS } from './past-tables.ts';
import type { Reading, Snapshot } from './read-snapshot.ts';

/** What reading present chunks needs. */
export interface ChunkReading extends Pick<Reading, 'rows'> {
  readonly snapshot: Pick<Snapshot, 'outlines'>;
}

/**
 * The visible ones among these chunks, by key, with the pages and sections they span. With `at`, those visible at that
 * time, in their state at that time, without these places.
 */
export function loadChunks(reading: ChunkReading, keys: readonly number[], at?: string): Map<number, Chunk> {
  const wanted = JSON.stringify(keys);
  if (at === undefined) return readPresent(reading, CHUNKS, wanted);
  return new Map([
    ...readChunks(reading.rows(STAYED_CHUNKS, wanted, at)),
    ...readChunks(reading.rows(PAST_CHUNKS, wanted, at, at), { isReplaced: true }),
  ]);
}

/** The visible ones among these chunks, in the order of the identifiers, with the pages and sections they span. */
export function loadChunksById(reading: Reading, ids: readonly string[]): Chunk[] {
  return [...readPresent(reading, CHUNKS_BY_ID, JSON.stringify(ids)).values()];
}

function readPresent(reading: ChunkReading, sql: string, wanted: string): Map<number, Chunk> {
  const states = new Map<string, string>();
  const chunks = readChunks(reading.rows(sql, wanted), { states });
  const outlines = readOutlines(reading, states);
  return new Map([...chunks].map(([key, chunk]) => [key, withPlaces(chunk, outlines.get(chunk.documentId))]));
}

/**
 * The outlines of documents whose texts are in these states. Those of recent searches are cached, because SQLite reads
 * the whole text of a document before its outline, and outlines of books have thousands of entries.
 */
function readOutlines(reading: ChunkReading, states: TextStates): ReadonlyMap<string, Outline> {
  const { outlines: cache } = reading.snapshot;
  const { outlines, missing } = cachedOutlines(cache, states);
  const rows = missing.length === 0 ? [] : reading.rows(OUTLINES, JSON.stringify(missing));
  for (const [documentId, pages, headings] of rows) {
    const id = String(documentId);
    outlines.set(id, cacheOutline(cache, states, { id, pages: String(pages), headings: String(headings) }));
  }
  return outlines;
}

interface ReadChunks extends Pick<ChunkParent, 'isReplaced'> {
  /** Receives the states of the documents' texts. */
  readonly states?: Map<string, string>;
}

function readChunks(rows: Iterable<SQLInputValue[]>, { states, ...given }: ReadChunks = {}): Map<number, Chunk> {
  const chunks = new Map<number, Chunk>();
  const parents = new Map<string, ChunkParent>();
  for (const row of rows) {
    const [key, id, ordinal, text, start_offset, end_offset, page, heading_path, metadata, ...document] = row;
    const documentId = String(document[0]);
    const parent = parents.get(documentId) ?? { ...toParent(document.map(String)), ...given };
    parents.set(documentId, parent);
    states?.set(documentId, String(document.at(-1)));
    const chunk = {
      id: String(id),
      ordinal: Number(ordinal),
      text: String(text),
      start_offset: Number(start_offset),
      end_offset: Number(end_offset),
      page: page === null ? null : Number(page),
      heading_path: String(heading_path),
      metadata: String(metadata),
    };
    chunks.set(Number(key), toChunk(chunk, parent));
  }
  return chunks;
}

function toParent(columns: readonly string[]): ChunkParent {
  const [id = '', ownerId = '', title = '', type = '', version = '', publishedAt = '', metadata, collectionIds] =
    columns;
  return {
    id,
    ownerId,
    title,
    type,
    version,
    publishedAt,
    metadata: JSON.parse(metadata ?? '{}') as Metadata,
    collectionIds: JSON.parse(collectionIds ?? '[]') as string[],
  };
}

const COLUMNS = `
  c.key, c.id, c.ordinal, c.text, c.start_offset, c.end_offset, c.page, c.heading_path, c.metadata,
  d.id, d.owner_id, d.title, d.type, d.version, d.published_at, d.metadata,
  (select json_group_array(dc.collection_id) from document_collections dc where dc.document_key = d.key)`;

const chunksBy = (column: 'key' | 'id') => `
  select ${COLUMNS}, ${TEXT_STATE} from json_each(?) as wanted
  cross join chunks c on c.${column} = wanted.value
  cross join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0`;

const CHUNKS = chunksBy('key');

const CHUNKS_BY_ID = chunksBy('id');

const OUTLINES = `
  select d.id, t.pages, t.headings from json_each(?) as wanted
  cross join documents d on d.id = wanted.value
  cross join document_texts t on t.document_key = d.key`;

const STAYED_CHUNKS = `${CHUNKS} where d.published_at <= ?`;

const PAST_CHUNKS = `
  select ${COLUMNS} from json_each(?) as wanted
  cross join (${VERSION_CHUNKS}) c on c.key = wanted.value
  cross join (${PAST_DOCUMENTS}) d on d.version_key = c.version_key`;
