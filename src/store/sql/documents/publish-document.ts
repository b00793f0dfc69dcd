import type { Document } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import type { NewChunk, Publication } from '../../corpus.ts';
import type { VectorSpaceName } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import type { IndexUpkeep } from '../index-sync/index-upkeep.ts';
import { addPendingRemoval } from '../index-sync/outbox.ts';
import { addPending } from '../index-sync/outbox-entries.ts';
import { allSpaces, currentSpace, describeSpace, type Queries } from '../vector-spaces/space-rows.ts';
import { keptKeys } from '../versions/kept-chunks.ts';
import type { DocumentRow } from './document-rows.ts';
import { readOne, requireIngested, requireRow } from './ingestions.ts';
import { replaceVisible } from './replace-visible.ts';
import { insertStaged } from './staged-chunks.ts';

export interface PublishParts {
  readonly sqlite: Database;
  readonly upkeep: IndexUpkeep;
  /** Number of earlier versions per document whose content is kept. */
  readonly versionsKept: number;
}

/**
 * Publishes a document so that both legs of a search find it. A few chunks that are not staged yet are stored in the
 * same transaction, and written to the index a moment later, together with those of other documents; until then
 * searches compare them exactly. Staged chunks are written to the index first. When it does not answer, the document is
 * published nevertheless and its index writes stay pending.
 */
export async function publishDocument(
  { sqlite, upkeep, versionsKept }: PublishParts,
  id: string,
  { chunks = [], embeddedIn, ...publication }: Publication,
): Promise<Document> {
  if (chunks.length > 0) {
    if (upkeep.mayDefer(chunks.length)) {
      const args = { id, publication, chunks, embeddedIn, versionsKept };
      const document = await sqlite.transact('publishWithChunks', args);
      upkeep.wakeUpSoon(chunks.length);
      return document;
    }
    const { attempt } = publication;
    await sqlite.transact('stage', { id, chunks, embeddedIn, attempt, status: 'storing' });
  }
  const { keys, kept, space } = await readStaged(sqlite.reader, id);
  // A later submission has dropped the chunks this one staged; its text must not be published without them.
  if (keys.length + kept.length === 0 && publication.text.trim() !== '') throw submittedAgain(id);
  const indexed = space !== undefined && (await upkeep.tryUpsert(space, keys)) ? space.key : null;
  try {
    return await sqlite.transact('publish', { id, publication, keys, kept, indexed, versionsKept });
  } catch (error) {
    // The document was removed, or submitted again, while the index stored its vectors.
    await sqlite.writer.transaction().execute((transaction) => addPendingRemovalOfDead(transaction, keys));
    throw error;
  } finally {
    upkeep.wakeUp();
  }
}

type Described = Omit<Publication, 'chunks' | 'embeddedIn'>;

export interface StagedToPublish {
  readonly id: string;
  readonly publication: Described;
  /** The staged chunks; `kept` are the visible chunks that the new content reuses. */
  readonly keys: readonly number[];
  readonly kept: readonly number[];
  /** The space whose index already has the staged chunks, if any. */
  readonly indexed: number | null;
  readonly versionsKept: number;
}

/** Makes the staged and kept chunks the visible content of the document. Throws `conflict` if they have changed. */
export async function publishStaged(database: Queries, staged: StagedToPublish): Promise<Document> {
  const { id, publication, keys, kept, indexed, versionsKept } = staged;
  const row = await requireRow(database, id, publication.attempt);
  await checkUnchanged(database, row, { keys, kept, chunkCount: publication.chunkCount });
  await addPendingVectors(database, keys, indexed);
  await replaceVisible(database, row, { publication, chunkCount: keys.length + kept.length, versionsKept });
  return readOne(database, id);
}

export interface ChunksToPublish {
  readonly id: string;
  readonly publication: Described;
  readonly chunks: readonly NewChunk[];
  readonly embeddedIn: VectorSpaceName | undefined;
  readonly versionsKept: number;
}

/** Stores these chunks and makes them, with the staged and kept ones, the visible content of the document. */
export async function publishWithChunks(database: Queries, parts: ChunksToPublish): Promise<Document> {
  const { id, publication, chunks, embeddedIn, versionsKept } = parts;
  const row = await requireIngested(database, id, publication.attempt);
  await insertStaged(database, row, chunks, embeddedIn);
  const keys = await stagedKeys(database, row);
  const chunkCount = keys.length + (await keptKeys(database, row.key)).length;
  if (chunkCount !== (publication.chunkCount ?? chunkCount)) throw editedMeanwhile(id);
  await addPendingVectors(database, keys, null);
  await replaceVisible(database, row, { publication, chunkCount, versionsKept });
  return readOne(database, id);
}

async function readStaged(database: Queries, id: string) {
  const row = await requireRow(database, id);
  return {
    keys: await stagedKeys(database, row),
    kept: await keptKeys(database, row.key),
    space: await currentSpace(database),
  };
}

async function stagedKeys(database: Queries, row: DocumentRow): Promise<number[]> {
  const staged = await database
    .selectFrom('chunks')
    .select('key')
    .where('document_key', '=', row.key)
    .where('generation', '=', row.generation + 1)
    .orderBy('key')
    .execute();
  return staged.map(({ key }) => key);
}

interface Staged {
  readonly keys: readonly number[];
  readonly kept: readonly number[];
  readonly chunkCount: number | undefined;
}

async function checkUnchanged(database: Queries, row: DocumentRow, staged: Staged): Promise<void> {
  const { keys, kept, chunkCount } = staged;
  if (!isSame(await stagedKeys(database, row), keys)) throw submittedAgain(row.id);
  const keptNow = await keptKeys(database, row.key);
  if (chunkCount === undefined ? isSame(keptNow, kept) : keys.length + keptNow.length === chunkCount) return;
  throw editedMeanwhile(row.id);
}

const editedMeanwhile = (id: string) =>
  new ServiceError(
    'conflict',
    `Passages of document ${id} were edited or removed while it was ingested again. Ingest it once more.`,
  );

const isSame = (one: readonly number[], two: readonly number[]): boolean =>
  one.length === two.length && one.every((key, index) => key === two[index]);

const submittedAgain = (id: string) =>
  new ServiceError('conflict', `Document ${id} was submitted again while it was being published.`);

/**
 * Every chunk must have a vector in the current space; writes to a space whose index has not been updated become
 * pending.
 */
async function addPendingVectors(database: Queries, keys: readonly number[], indexed: number | null): Promise<void> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return;
  const wanted = new Set(keys);
  for (const space of await allSpaces(database)) {
    const rows = await database
      .selectFrom('chunk_vectors')
      .select('chunk_key')
      .where('space_key', '=', space.key)
      .where('chunk_key', '>=', first)
      .where('chunk_key', '<=', last)
      .execute();
    const held = rows.map((row) => row.chunk_key).filter((key) => wanted.has(key));
    if (space.state === 'current' && held.length < keys.length) {
      throw new ServiceError(
        'embedding_mismatch',
        `The corpus moved to ${describeSpace(space)} while this document was embedded. Ingest it again.`,
      );
    }
    if (space.key !== indexed) await addPending(database, 'upsert', space.key, held);
  }
}

async function addPendingRemovalOfDead(database: Queries, keys: readonly number[]): Promise<void> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return;
  const rows = await database
    .selectFrom('chunks')
    .select('key')
    .where('key', '>=', first)
    .where('key', '<=', last)
    .execute();
  const alive = new Set(rows.map(({ key }) => key));
  await addPendingRemoval(
    database,
    keys.filter((key) => !alive.has(key)),
  );
}
