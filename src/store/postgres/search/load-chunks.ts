import { type RawBuilder, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata, Outline } from '../../../documents/document.ts';
import { withPlaces } from '../../../documents/places.ts';
import { type ChunkRow, toChunk } from '../../sql/documents/chunk-rows.ts';
import { type OutlineRow, toOutline } from '../../sql/outline-rows.ts';
import { cachedOutlines, cacheOutline, TEXT_STATE } from '../../sql/search/outline-cache.ts';
import { numbers, texts } from '../array-values.ts';
import type { QuerySettings } from '../prepared.ts';
import { VISIBLE } from './passing.ts';
import { replacedSince } from './past.ts';
import type { Reading } from './reading.ts';

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

/** A row with its document's outline, unless that is large; of the rows of a document, one has it. */
interface OutlinedRow extends FoundRow, Partial<OutlineRow> {
  readonly text_state: string;
  readonly is_outline_large: boolean | null;
}

const COLUMNS = sql.raw(`
  c.key, c.id, c.ordinal, c.text, c.start_offset, c.end_offset, c.page, c.heading_path, c.metadata,
  d.key as document_key, d.id as document_id, d.owner_id, d.title, d.type, d.version, d.published_at, d.metadata as document_metadata,
  (select coalesce(json_agg(dc.collection_id order by dc.collection_id), '[]') from document_collections dc
   where dc.document_key = d.key) as collection_ids, ${TEXT_STATE} as text_state`);

/** Bytes of an outline, of some 100 headings. Larger ones are cached instead of sent with every search. */
const LARGE_OUTLINE = 8_000;
const IS_LARGE = `octet_length(t.pages) + octet_length(t.headings) > ${LARGE_OUTLINE}`;
const IS_SENT = `row_number() over (partition by f.document_key) = 1 and not ${IS_LARGE}`;

/** Columns of `OutlinedRow` for the rows of a document `f`; each outline is sent once. */
const OUTLINE = sql.raw(`
  case when ${IS_SENT} then t.pages end as pages, case when ${IS_SENT} then t.headings end as headings,
  ${IS_LARGE} as is_outline_large`);
const OUTLINES = sql.raw('left join document_texts t on t.document_key = f.document_key');

const outlined = (condition: RawBuilder<unknown>) => sql<OutlinedRow>`
  select f.*, ${OUTLINE} from (select ${COLUMNS} from ${VISIBLE} where ${condition}) f ${OUTLINES}`;

/**
 * Those of these chunks that are visible, by key, with the pages and sections they span. With `at`, those visible then,
 * in their state at that time, without these places.
 */
export async function loadChunks(
  reading: Reading,
  keys: readonly number[],
  at?: string | undefined,
): Promise<Map<number, Chunk>> {
  if (keys.length === 0) return new Map();
  const wanted = sql`c.key in ${numbers(keys)}`;
  if (at === undefined) return new Map(await readOutlined(reading, await reading.rows(outlined(wanted), 'prepared')));
  const unchanged = sql<FoundRow>`select ${COLUMNS} from ${VISIBLE} where ${wanted} and d.published_at <= ${at}`;
  const stayed = await reading.rows(unchanged, 'prepared');
  const past = await reading.rows(sql<FoundRow>`select ${COLUMNS} from ${replacedSince(at)} where ${wanted}`);
  return new Map([...stayed.map((row) => read(row, {})), ...past.map((row) => read(row, { isReplaced: true }))]);
}

/** The visible ones among these chunks, in the order of the identifiers, with the pages and sections they span. */
export async function loadChunksById(reading: Reading, ids: readonly string[]): Promise<Chunk[]> {
  if (ids.length === 0) return [];
  const rows = await reading.rows(outlined(sql`c.id in ${texts(ids)}`), 'prepared');
  const found = await readOutlined(reading, rows);
  const chunks = new Map(found.map(([, chunk]) => [chunk.id, chunk]));
  return ids.flatMap((id) => chunks.get(id) ?? []);
}

async function readOutlined(reading: Reading, rows: readonly OutlinedRow[]): Promise<[key: number, chunk: Chunk][]> {
  const large = rows.filter((row) => row.is_outline_large);
  const outlines = await largeOutlines(reading, new Map(large.map((row) => [row.document_id, row.text_state])));
  for (const { document_id: id, pages, headings } of rows) {
    if (pages != null && headings != null) outlines.set(id, toOutline({ pages, headings }));
  }
  return rows.map((row) => {
    const [key, chunk] = read(row, {});
    return [key, withPlaces(chunk, outlines.get(row.document_id))];
  });
}

async function largeOutlines(reading: Reading, states: ReadonlyMap<string, string>): Promise<Map<string, Outline>> {
  const cache = reading.cache.outlines;
  const { outlines, missing } = cachedOutlines(cache, states);
  if (missing.length === 0) return outlines;
  const query = sql<OutlineRow & { readonly id: string }>`
    select d.id, t.pages, t.headings from documents d join document_texts t on t.document_key = d.key
    where d.id in ${texts(missing)}`;
  for (const row of await reading.rows(query, 'prepared')) outlines.set(row.id, cacheOutline(cache, states, row));
  return outlines;
}

/** A chunk that a query has ranked, with its distance. */
export interface RankedRow {
  readonly key: number;
  readonly distance: number;
}

/** The rows of a ranking, and the chunks of its first `shown` rows, by key. */
export async function loadRanked(
  reading: Reading,
  { ranking, shown, how, settings }: RankedLoad,
): Promise<{ readonly hits: readonly RankedRow[]; readonly chunks: ReadonlyMap<number, Chunk> }> {
  const query = sql<OutlinedRow & { readonly ranked: number; readonly distance: number }>`
    select r.key as ranked, r.distance, f.*, ${OUTLINE}
    from (select *, row_number() over () as place from (${ranking}) o) r
    left join lateral (select ${COLUMNS} from ${VISIBLE} where c.key = r.key) f on r.place <= ${shown}
    ${OUTLINES} order by r.place`;
  const rows = await reading.rows(query, how, settings);
  return {
    hits: rows.map(({ ranked: key, distance }) => ({ key, distance })),
    chunks: new Map(
      await readOutlined(
        reading,
        rows.filter(({ id }) => id !== null),
      ),
    ),
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
