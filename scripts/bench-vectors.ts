import './build-first.js';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { everything, type Filter } from '../src/documents/filter.ts';
import { nearestIndexed } from '../src/store/pgvector/nearest-indexed.ts';
import { openPgvector } from '../src/store/pgvector/pgvector-index.ts';
import { openPostgresStore } from '../src/store/postgres/open-postgres-store.ts';
import type { SqlStore } from '../src/store/sql/open-store.ts';
import { compileChunkFilter } from '../src/store/sql/search/compile-filter.ts';
import { toVectorBytes } from '../src/store/sql/vector-spaces/vector-bytes.ts';
import { startEmbeddedChroma } from '../test/support/embedded-chroma.ts';

const USAGE = `Measures semantic searches on PostgreSQL with Chroma and with pgvector, without a filter and with two.

  npm run -s bench-vectors -- --database postgres://… [options]

  --database URL   an empty database with the extension pgvector; it is filled and left as it is
  --chunks N       default 50000, of 100 to a document
  --dimensions N   default 384
  --queries N      for each line of the table; default 50

Prints p50 and p95 of a search for ten passages in milliseconds, how many of them an exact comparison finds too, and the
seconds in which the index was filled from the records.`;

const PER_DOCUMENT = 100;
const DOCUMENTS_PER_BATCH = 10;
const CENTRES = 500;
const LIMIT = 10;
const COMPARED = 10;

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    chunks: { type: 'string', default: '50000' },
    dimensions: { type: 'string', default: '384' },
    queries: { type: 'string', default: '50' },
  },
});
const { database: url } = values;
if (url === undefined) throw new Error(USAGE);
const [chunks, dimensions, queries] = [values.chunks, values.dimensions, values.queries].map(Number) as [
  number,
  number,
  number,
];
const documents = Math.ceil(chunks / PER_DOCUMENT);
const space = { embedder: 'bench/random', version: '1', dimensions };
const report = (message: string, cause?: unknown) => console.error(message, cause ?? '');
const options = { url, embeddingText: ({ text }: { readonly text: string }) => text, report };

/** Vectors around random centres, like those of texts on a number of subjects. */
const random = (spread: number) => Float32Array.from({ length: dimensions }, () => (Math.random() - 0.5) * spread);
const centres = Array.from({ length: CENTRES }, () => random(1));
function vector(): Float32Array {
  const centre = centres[Math.floor(Math.random() * CENTRES)] ?? random(1);
  return random(1.2).map((component, at) => component + (centre[at] ?? 0));
}

/** Inserts documents, chunks and vectors directly, without the text processing of ingestion. */
async function fill({ sqlite, spaces }: SqlStore): Promise<void> {
  await spaces.claim(space);
  for (let first = 0; first < documents; first += DOCUMENTS_PER_BATCH) {
    const last = Math.min(documents, first + DOCUMENTS_PER_BATCH);
    await sqlite.writer.transaction().execute(async (transaction) => {
      await sql`
        insert into documents (id, owner_id, type, title, metadata, version, file_name, media_type, size_in_bytes,
          content_hash, ingestion_status, extraction_status, attempt, settings, total_tokens, text_length, chunk_count,
          generation, created_at, updated_at, published_at)
        select gen_random_uuid()::text, 'owner', 'txt', 'document ' || n, jsonb_build_object('number', n), 'v0', 'a.txt',
          'text/plain', 1, md5(n::text), 'success', 'success', 1, '{}', 1, 1, ${PER_DOCUMENT}, 1,
          '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
        from generate_series(${first}::integer, ${last - 1}::integer) n`.execute(transaction);
      const { rows } = await sql<{ key: number }>`
        insert into chunks (id, document_key, generation, ordinal, text, start_offset, end_offset, heading_path, metadata)
        select gen_random_uuid()::text, d.key, 1, n, repeat('A sentence of a passage. ', 40), 0, 1000, '[]', '{}'
        from documents d cross join generate_series(0, ${PER_DOCUMENT - 1}) n
        where not exists (select 1 from chunks c where c.document_key = d.key) returning key`.execute(transaction);
      const vectors = rows.map(({ key }) => ({ chunk_key: key, vector: toVectorBytes(vector()) }));
      const { key: space_key } = await transaction.selectFrom('vector_spaces').select('key').executeTakeFirstOrThrow();
      await transaction
        .insertInto('chunk_vectors')
        .values(vectors.map((row) => ({ ...row, space_key })))
        .execute();
      const count = rows.length;
      await sql`update full_text_sizes set entries = entries + ${count} where name = 'chunk_terms'`.execute(
        transaction,
      );
    });
  }
  for (const table of ['documents', 'chunks', 'chunk_vectors']) {
    await sql`analyze ${sql.table(table)}`.execute(sqlite.writer);
  }
}

const below = (share: number): Filter => ({
  kind: 'compare',
  field: 'metadata.number',
  op: 'lt',
  value: Math.round(documents * share),
});
const filters = { none: everything, '1 %': below(0.01), '50 %': below(0.5) };

async function measure(name: string, store: SqlStore): Promise<void> {
  const startedAt = performance.now();
  await store.maintenance.audit();
  const filled = (performance.now() - startedAt) / 1000;
  for (const [share, filter] of Object.entries(filters)) {
    const times: number[] = [];
    let [found, expected] = [0, 0];
    for (let query = 0; query < queries + 3; query++) {
      const asked = { vector: vector(), measure: 'cosine_distance', filter, limit: LIMIT } as const;
      const start = performance.now();
      const hits = await store.chunks.nearest(asked);
      // The first queries warm up.
      if (query >= 3) times.push(performance.now() - start);
      if (query >= COMPARED) continue;
      const { search } = store.sqlite;
      const plan = await search.call('planNearest', { filter: null });
      if (plan.space === null) throw new Error('The corpus has no vector space.');
      const compiled = compileChunkFilter(search.dialect, filter);
      const exactly = { ...asked, filter: compiled, space: plan.space, shown: LIMIT };
      const keys = new Set((await search.call('nearestExactly', exactly)).best.keys);
      expected += keys.size;
      found += hits.filter(({ key }) => keys.has(key)).length;
    }
    times.sort((one, other) => one - other);
    const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(0);
    console.log(
      `| ${name} | ${share} | ${at(0.5)} | ${at(0.95)} | ${(found / expected).toFixed(3)} | ${filled.toFixed(0)} |`,
    );
  }
}

const heading = `${chunks} x ${dimensions}, PostgreSQL and Node on one machine`;
console.log(`${heading}\n\n| index | filter | p50 ms | p95 ms | recall | filled s |\n|---|---|---|---|---|---|`);
const chroma = await startEmbeddedChroma();
const withChroma = await openPostgresStore({ ...options, index: chroma });
await fill(withChroma);
await measure('Chroma', withChroma);
await withChroma.close();
await chroma.close();
const pgvector = await openPgvector({ url });
const withPgvector = await openPostgresStore({ ...options, index: pgvector, nearestIndexed });
await measure('pgvector', withPgvector);
await withPgvector.close();
await pgvector.close();
