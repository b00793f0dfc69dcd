import { newId } from '../../../documents/ids.ts';
import { ServiceError } from '../../../errors.ts';
import type { NewChunk } from '../../corpus.ts';
import { isSameSpace, type VectorSpaceName } from '../../vector-index.ts';
import { addPendingRemoval } from '../index-sync/outbox.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import { storeVectors } from '../vector-codes/add-codes.ts';
import { currentSpace, describeSpace, type Queries, type SpaceRow } from '../vector-spaces/space-rows.ts';
import { embeddingHash, forgetKept } from '../versions/kept-chunks.ts';

/** Rows per statement: enough to be fast, few enough for SQLite's limit on parameters. */
const ROWS = 100;

/** Inserts chunks of the generation after the visible one, with their vectors in the current space. */
export async function insertStaged(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
  chunks: readonly NewChunk[],
  embeddedIn: VectorSpaceName | undefined,
): Promise<void> {
  const space = await spaceFor(database, chunks, embeddedIn);
  for (const batch of inBatches(chunks, ROWS)) {
    const rows = batch.map((chunk) => ({
      id: newId(),
      document_key: document.key,
      generation: document.generation + 1,
      ordinal: chunk.order,
      text: chunk.text,
      start_offset: chunk.start,
      end_offset: chunk.end,
      page: chunk.page,
      heading_path: JSON.stringify(chunk.headingPath),
      metadata: JSON.stringify(chunk.metadata ?? {}),
      embedding_hash: chunk.embeddedText === undefined ? null : embeddingHash(chunk.embeddedText),
      context: chunk.context ?? null,
    }));
    const inserted = await database.insertInto('chunks').values(rows).returning(['key', 'ordinal']).execute();
    const keyOf = new Map(inserted.map(({ key, ordinal }) => [ordinal, key]));
    const vectors = batch.flatMap(({ order, vector }) => {
      const key = keyOf.get(order);
      return key === undefined ? [] : [{ key, vector }];
    });
    await storeVectors(database, space.key, vectors);
  }
}

/** Inserts the vectors of existing chunks in the current space, and returns that space. */
export async function insertVectors(
  database: Queries,
  chunks: readonly { readonly key: number; readonly order: number; readonly vector: Float32Array }[],
  embeddedIn: VectorSpaceName,
): Promise<SpaceRow> {
  const space = await spaceFor(database, chunks, embeddedIn);
  await storeVectors(database, space.key, chunks);
  return space;
}

async function spaceFor(
  database: Queries,
  chunks: readonly Pick<NewChunk, 'order' | 'vector'>[],
  embeddedIn: VectorSpaceName | undefined,
): Promise<SpaceRow> {
  const space = await currentSpace(database);
  if (space === undefined) {
    throw new ServiceError('internal', 'Chunks were staged before an embedder had claimed the corpus.');
  }
  if (embeddedIn !== undefined && !isSameSpace(embeddedIn, space)) {
    throw new ServiceError(
      'embedding_mismatch',
      `These vectors are of ${describeSpace(embeddedIn)}, but the corpus is now searched with ` +
        `${describeSpace(space)}. Ingest the document again.`,
    );
  }
  const mismatched = chunks.find(({ vector }) => vector.length !== space.dimensions);
  if (mismatched === undefined) return space;
  throw new ServiceError(
    'embedding_mismatch',
    `Passage ${mismatched.order} has a vector of ${mismatched.vector.length} dimensions, but the corpus is searched with ` +
      `${describeSpace(space)}. To change the embedder run: citewell reindex`,
  );
}

/** Removes staged chunks that were never visible, and adds their removal to the outbox. */
export async function dropStaged(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
): Promise<number> {
  await forgetKept(database, document.key);
  const staged = await database
    .selectFrom('chunks')
    .select('key')
    .where('document_key', '=', document.key)
    .where('generation', '>', document.generation)
    .execute();
  if (staged.length === 0) return 0;
  await addPendingRemoval(
    database,
    staged.map(({ key }) => key),
  );
  await database
    .deleteFrom('chunks')
    .where('document_key', '=', document.key)
    .where('generation', '>', document.generation)
    .execute();
  return staged.length;
}

/** Removes what crashed ingestions have staged. Ingestions of the documents `inProgress` are still running. */
export async function dropOrphans(database: Queries, inProgress: readonly number[] = []): Promise<number> {
  const owners = await database
    .selectFrom('documents as d')
    .innerJoin('chunks as c', (join) =>
      join.onRef('c.document_key', '=', 'd.key').onRef('c.generation', '>', 'd.generation'),
    )
    .select(['d.key', 'd.generation'])
    .where('d.ingestion_status', '!=', 'success')
    .where('d.key', 'not in', inProgress)
    .distinct()
    .execute();
  let dropped = 0;
  for (const owner of owners) dropped += await dropStaged(database, owner);
  // Covers ingestions that kept all chunks and staged no new one.
  await database.deleteFrom('kept_chunks').where('document_key', 'not in', inProgress).execute();
  return dropped;
}
