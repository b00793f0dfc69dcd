import { type RawBuilder, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata } from '../../../documents/document.ts';
import { withPlaces } from '../../../documents/places.ts';
import { type ChunkRow, toChunk } from '../../sql/documents/chunk-rows.ts';
import { type OutlineRow, toOutline } from '../../sql/outline-rows.ts';
import { numbers, texts } from '../array-values.ts';
import type { QuerySettings } from '../prepared.ts';
import { VISIBLE } from './passing.ts';
import { replacedSince } from './past.ts';
import type { StateQueries } from './reading.ts';

interface FoundRow extends ChunkRow {
  readonly key: number;
  readonly document_id: string;
  readonly owner_id: string;
  readonly title: string;
  readonly type: string;
  readonly version: string;
  readonly published_at: string | null;
  readonly document_metadata: string;
  /** JSON list */
  readonly collection_ids: string;
}

const COLUMNS = sql.raw(`
  c.key, c.id, c.ordinal, c.text, c.start_offset, c.end_offset, c.page, c.heading_path, c.metadata,
  d.id as document_id, d.owner_id, d.title, d.type, d.version, d.published_at, d.metadata as document_metadata,
  (select coalesce(json_agg(dc.collection_id order by dc.collection_id), '[]') from document_collections dc
   where dc.document_key = d.key) as collection_ids`);

/** Those of these chunks that are visible, by key; with `at`, those visible then, in their state at that time. */
export async function loadChunks(
  queries: StateQueries,
  keys: readonly number[],
  at?: string | undefined,
): Promise<Map<number, Chunk>> {
  if (keys.length === 0) return new Map();
  const wanted = sql`c.key in ${numbers(keys)}`;
  const unchangedSince = at === undefined ? sql`` : sql`and d.published_at <= ${at}`;
  const present = sql<FoundRow>`select ${COLUMNS} from ${VISIBLE} where ${wanted} ${unchangedSince}`;
  const chunks = (await queries.rows(present, 'prepared')).map((row) => read(row, {}));
  if (at === undefined) return new Map(chunks);
  const past = await queries.rows(sql<FoundRow>`select ${COLUMNS} from ${replacedSince(at)} where ${wanted}`);
  return new Map([...chunks, ...past.map((row) => read(row, { isReplaced: true }))]);
}

/** The visible ones among these chunks, in the order of the identifiers, with the pages and sections they span. */
export async function loadChunksById(queries: StateQueries, ids: readonly string[]): Promise<Chunk[]> {
  if (ids.length === 0) return [];
  const query = sql<FoundRow>`select ${COLUMNS} from ${VISIBLE} where c.id in ${texts(ids)}`;
  const rows = new Map((await queries.rows(query, 'prepared')).map((row) => [row.id, row]));
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  const documents = [...new Set(found.map((row) => row.document_id))];
  const outlines = await queries.rows(
    sql<OutlineRow & { readonly id: string }>`
      select d.id, t.pages, t.headings from document_texts t join documents d on d.key = t.document_key
      where d.id in ${texts(documents)}`,
    'prepared',
  );
  const outlineOf = new Map(outlines.map((row) => [row.id, toOutline(row)]));
  return found.map((row) => withPlaces(read(row, {})[1], outlineOf.get(row.document_id)));
}

/** A chunk that a query has ranked, with its distance. */
export interface RankedRow {
  readonly key: number;
  readonly distance: number;
}

/** The rows of a ranking, and the chunks of its first `shown` rows, by key. */
export async function loadRanked(
  queries: StateQueries,
  { ranking, shown, how, settings }: RankedLoad,
): Promise<{ readonly hits: readonly RankedRow[]; readonly chunks: ReadonlyMap<number, Chunk> }> {
  const query = sql<FoundRow & { readonly ranked: number; readonly distance: number }>`
    select r.key as ranked, r.distance, l.* from (select *, row_number() over () as place from (${ranking}) o) r
    left join lateral (select ${COLUMNS} from ${VISIBLE} where c.key = r.key) l on r.place <= ${shown}`;
  const rows = await queries.rows(query, how, settings);
  return {
    hits: rows.map(({ ranked: key, distance }) => ({ key, distance })),
    chunks: new Map(rows.filter(({ id }) => id !== null).map((row) => read(row, {}))),
  };
}

interface RankedLoad {
  /** Query for `key` and `distance`, best first. */
  readonly ranking: RawBuilder<RankedRow>;
  readonly shown: number;
  readonly how: 'prepared' | 'once';
  readonly settings: QuerySettings;
}

function read(row: FoundRow, state: { readonly isReplaced?: boolean }): [key: number, chunk: Chunk] {
  const parent = {
    id: row.document_id,
    ownerId: row.owner_id,
    title: row.title,
    type: row.type,
    version: row.version,
    publishedAt: row.published_at,
    metadata: JSON.parse(row.document_metadata) as Metadata,
    collectionIds: JSON.parse(row.collection_ids) as string[],
    ...state,
  };
  return [row.key, toChunk(row, parent)];
}
