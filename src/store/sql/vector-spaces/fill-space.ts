import { sql } from 'kysely';
import type { EmbeddingModel } from '../../../embeddings/embedding-model.ts';
import { ServiceError } from '../../../errors.ts';
import type { ReindexProgress } from '../../vector-spaces.ts';
import type { Database } from '../database.ts';
import type { IndexUpkeep } from '../index-sync/index-upkeep.ts';
import { addPending } from '../index-sync/outbox-entries.ts';
import { storeVectors } from '../vector-codes/add-codes.ts';
import type { Queries, SpaceRow } from './space-rows.ts';

/** Builds the text that is embedded for a chunk. */
export type EmbeddingText = (chunk: {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
  /** The context a model wrote for the chunk. */
  readonly context?: string | null;
}) => string;

export interface FillSpace {
  readonly sqlite: Database;
  readonly upkeep: IndexUpkeep;
  readonly space: SpaceRow;
  readonly embedder: EmbeddingModel;
  readonly embeddingText: EmbeddingText;
  readonly signal: AbortSignal;
}

/** Chunks saved per batch: the work, and money, lost when the program stops. */
const BATCH = 256;

/**
 * Computes the missing vectors of all chunks in the space, including chunks staged meanwhile. Existing ones are kept.
 */
export async function* fillSpace(parts: FillSpace): AsyncGenerator<ReindexProgress, void> {
  const { sqlite, space, signal } = parts;
  for (let last = 0; ; ) {
    signal.throwIfAborted();
    yield await readProgress(sqlite.reader, space.key);
    const chunks = await chunksWithout(sqlite.reader, space.key, last);
    const final = chunks.at(-1);
    if (final === undefined) return;
    await embedChunks(parts, chunks);
    last = final.key;
  }
}

/** A stored chunk with everything its embedded text consists of. */
export interface UnembeddedChunk {
  readonly key: number;
  readonly text: string;
  readonly heading_path: string;
  readonly context: string | null;
  readonly title: string;
}

function chunksWithout(database: Queries, spaceKey: number, after: number) {
  return database
    .selectFrom('chunks as c')
    .innerJoin('documents as d', 'd.key', 'c.document_key')
    .select(['c.key', 'c.text', 'c.heading_path', 'c.context', 'd.title'])
    .where('c.key', '>', after)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('chunk_vectors as v')
            .select(sql<number>`1`.as('one'))
            .where('v.space_key', '=', spaceKey)
            .whereRef('v.chunk_key', '=', 'c.key'),
        ),
      ),
    )
    .orderBy('c.key')
    .limit(BATCH)
    .execute();
}

/** The vectors of these chunks, by key. */
export async function embedStored(
  { space, embedder, embeddingText, signal }: FillSpace,
  chunks: readonly UnembeddedChunk[],
): Promise<ReadonlyMap<number, Float32Array>> {
  const texts = chunks.map(({ title, heading_path, text, context }) =>
    embeddingText({ title, headingPath: JSON.parse(heading_path) as string[], text, context }),
  );
  const vectors = await embedder.embed(texts, 'passage', signal);
  const wrong = vectors.find((vector) => vector.length !== space.dimensions);
  if (wrong !== undefined || vectors.length !== chunks.length) {
    throw new ServiceError(
      'provider_failed',
      `${embedder.name} answered ${chunks.length} texts with ${vectors.length} vectors of ` +
        `${wrong?.length ?? space.dimensions} dimensions; ${space.dimensions} dimensions were expected.`,
    );
  }
  return new Map(
    chunks.flatMap(({ key }, index) => {
      const vector = vectors[index];
      return vector === undefined ? [] : [[key, vector] as const];
    }),
  );
}

async function embedChunks(parts: FillSpace, chunks: readonly UnembeddedChunk[]): Promise<void> {
  const { sqlite, upkeep, space } = parts;
  const vectorOf = await embedStored(parts, chunks);
  const stored = await sqlite.writer.transaction().execute(async (transaction) => {
    // A chunk may have been removed while it was being embedded.
    const alive = await transaction
      .selectFrom('chunks')
      .select('key')
      .where('key', 'in', [...vectorOf.keys()])
      .execute();
    const rows = alive.flatMap(({ key }) => {
      const vector = vectorOf.get(key);
      return vector === undefined ? [] : [{ key, vector }];
    });
    if (rows.length === 0) return [];
    await storeVectors(transaction, space.key, rows);
    const keys = rows.map(({ key }) => key);
    await addPending(transaction, 'upsert', space.key, keys);
    return keys;
  });
  if (stored.length > 0) upkeep.wakeUp();
}

/** Counts include the chunks of earlier versions. */
export async function readProgress(database: Queries, spaceKey: number): Promise<ReindexProgress> {
  const { rows } = await sql<ReindexProgress>`
    select
      (select count(*) from chunk_vectors where space_key = ${spaceKey}) +
        (select count(*) from past_chunk_vectors where space_key = ${spaceKey}) as done,
      (select count(*) from chunks) + (select count(*) from past_chunks) as total`.execute(database);
  return rows[0] ?? { done: 0, total: 0 };
}
