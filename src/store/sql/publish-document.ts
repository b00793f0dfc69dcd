import type { Document } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import type { Publication } from '../corpus.ts';
import { type DocumentRow, readSubmitted, toColumns } from './document-rows.ts';
import { addFullText, removeFullText } from './full-text-rows.ts';
import type { IndexUpkeep } from './index-upkeep.ts';
import { descriptionOf, readOne, requireRow, setCollections, update } from './ingestions.ts';
import type { Sqlite } from './open-sqlite.ts';
import { owe, oweRemoval } from './outbox.ts';
import { allSpaces, currentSpace, describeSpace, type Queries } from './space-rows.ts';

/**
 * Index first, then one transaction: whoever sees the document can find it by every leg. When the index does not
 * answer, the document is published all the same and the index owed its vectors; until it is back in step, searches
 * compare vectors exactly in the record store, so nothing is missed.
 */
export async function publishDocument(
  sqlite: Sqlite,
  upkeep: IndexUpkeep,
  id: string,
  publication: Publication,
): Promise<Document> {
  const { keys, space } = await readStaged(sqlite.reader, id);
  // A later submission has dropped what this one had staged; it must not be published with this one's text.
  if (keys.length === 0 && publication.text.trim() !== '') throw submittedAgain(id);
  const indexed = space !== undefined && (await upkeep.tryUpsert(space, keys)) ? space.key : null;
  try {
    return await sqlite.writer.transaction().execute(async (transaction) => {
      const row = await requireRow(transaction, id, publication.attempt);
      await checkUnchanged(transaction, row, keys);
      await oweVectors(transaction, keys, indexed);
      await replaceVisible(transaction, row, keys.length, publication);
      return readOne(transaction, id);
    });
  } catch (error) {
    // The document went away, or was submitted anew, while the index took its vectors.
    await sqlite.writer.transaction().execute((transaction) => oweRemovalOfDead(transaction, keys));
    throw error;
  } finally {
    upkeep.nudge();
  }
}

async function readStaged(database: Queries, id: string) {
  const row = await requireRow(database, id);
  return { keys: await stagedKeys(database, row), space: await currentSpace(database) };
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

async function checkUnchanged(database: Queries, row: DocumentRow, keys: readonly number[]): Promise<void> {
  const now = await stagedKeys(database, row);
  if (now.length === keys.length && now.every((key, place) => key === keys[place])) return;
  throw submittedAgain(row.id);
}

const submittedAgain = (id: string) =>
  new ServiceError('conflict', `Document ${id} was submitted again while it was being published.`);

/** Every chunk must have its vector in the current space; a space whose index was not served yet is owed. */
async function oweVectors(database: Queries, keys: readonly number[], indexed: number | null): Promise<void> {
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
    if (space.key !== indexed) await owe(database, 'upsert', space.key, held);
  }
}

async function replaceVisible(
  database: Queries,
  row: DocumentRow,
  chunkCount: number,
  publication: Publication,
): Promise<void> {
  await removeFullText(database, row.key, row.generation);
  const old = await database
    .selectFrom('chunks')
    .select('key')
    .where('document_key', '=', row.key)
    .where('generation', '<=', row.generation)
    .execute();
  const oldKeys = old.map(({ key }) => key);
  await oweRemoval(database, oldKeys);
  if (oldKeys.length > 0) {
    await database
      .deleteFrom('chunks')
      .where('document_key', '=', row.key)
      .where('generation', '<=', row.generation)
      .execute();
  }

  const submitted = readSubmitted(row);
  if (submitted !== null) await setCollections(database, row.key, submitted.collectionIds);
  const described = descriptionOf(row);
  await update(database, row.key, {
    ...(submitted === null ? {} : toColumns(submitted)),
    title: publication.title ?? described.title,
    type: publication.type ?? described.type,
    metadata: JSON.stringify({ ...described.metadata, ...publication.metadata }),
    submitted: null,
    summary: publication.summary,
    total_tokens: publication.totalTokens,
    text_length: publication.text.length,
    chunk_count: chunkCount,
    generation: row.generation + 1,
    ingestion_status: 'success',
    failure: null,
  });
  const text = { text: publication.text, pages: JSON.stringify(publication.pages) };
  await database
    .insertInto('document_texts')
    .values({ document_key: row.key, ...text })
    .onConflict((conflict) => conflict.column('document_key').doUpdateSet(text))
    .execute();
  await addFullText(database, row.key, row.generation + 1);
}

async function oweRemovalOfDead(database: Queries, keys: readonly number[]): Promise<void> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return;
  const rows = await database
    .selectFrom('chunks')
    .select('key')
    .where('key', '>=', first)
    .where('key', '<=', last)
    .execute();
  const alive = new Set(rows.map(({ key }) => key));
  await oweRemoval(
    database,
    keys.filter((key) => !alive.has(key)),
  );
}
