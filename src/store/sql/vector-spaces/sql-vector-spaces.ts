import { createHash } from 'node:crypto';
import { ServiceError } from '../../../errors.ts';
import { isSameSpace, type VectorSpaceName } from '../../vector-index.ts';
import type { VectorSpace, VectorSpaces } from '../../vector-spaces.ts';
import type { Database } from '../database.ts';
import type { IndexUpkeep } from '../index-sync/index-upkeep.ts';
import { addPendingDrop } from '../index-sync/outbox.ts';
import { fillPast } from '../versions/fill-past.ts';
import { fillDescriptions } from './fill-descriptions.ts';
import { type EmbeddingText, fillSpace } from './fill-space.ts';
import { allSpaces, currentSpace, describeSpace, type Queries, type SpaceRow } from './space-rows.ts';
import { switchSpace } from './switch-space.ts';

export interface VectorSpacesParts {
  readonly sqlite: Database;
  readonly upkeep: IndexUpkeep;
  /** Builds the text that is embedded for a chunk; the same as on ingestion. */
  readonly embeddingText: EmbeddingText;
}

/** The vector spaces of the record store, each with its collection in the index. */
export function createVectorSpaces(parts: VectorSpacesParts): VectorSpaces {
  const { sqlite, upkeep } = parts;
  let isMoving = false;

  async function* move(target: SpaceRow, embedder: Parameters<VectorSpaces['reindex']>[0], signal: AbortSignal) {
    if (isMoving) throw new ServiceError('conflict', 'The corpus is already being moved to another embedder.');
    isMoving = true;
    try {
      do {
        yield* fillSpace({ ...parts, space: target, embedder, signal });
        yield* fillPast({ ...parts, space: target, embedder, signal });
        await fillDescriptions({ ...parts, space: target, embedder, signal });
        // An index that is down does not delay the switch: until it is back, searches compare exactly.
        await upkeep.replayOutbox().catch(() => {});
      } while (!(await switchSpace(sqlite, target)));
    } finally {
      isMoving = false;
    }
    upkeep.requireAudit();
    return readSpace(sqlite.reader, target.key);
  }

  return {
    list: () => readSpaces(sqlite.reader),

    async current() {
      return (await readSpaces(sqlite.reader)).find((space) => space.state === 'current');
    },

    async claim(name) {
      // The usual case before every ingestion, checked on a read connection, which does not wait for writers.
      const current = await currentSpace(sqlite.reader);
      if (current !== undefined && isSameSpace(current, name)) return;
      const adopted = await sqlite.writer.transaction().execute((transaction) => claim(transaction, name));
      if (adopted) upkeep.requireAudit();
    },

    async *reindex(embedder, signal) {
      const name = await embedder.space(signal);
      const target = await sqlite.writer.transaction().execute((transaction) => prepareTarget(transaction, name));
      upkeep.wakeUp();
      return yield* move(target, embedder, signal);
    },

    async *goBack(embedder, signal) {
      const name = await embedder.space(signal);
      const previous = (await allSpaces(sqlite.reader)).find((space) => space.state === 'previous');
      if (previous === undefined) {
        throw new ServiceError('invalid_request', 'There is no earlier embedder to go back to.');
      }
      if (!isSameSpace(previous, name)) {
        throw new ServiceError(
          'embedding_mismatch',
          `The earlier vectors are of ${describeSpace(previous)}, not of ${describeSpace(name)}. ` +
            'Set CITEWELL_EMBEDDING_MODEL to it, or run: citewell reindex',
        );
      }
      return yield* move(previous, embedder, signal);
    },
  };
}

/** Accepts the name of the current space; an empty corpus adopts another one. Returns whether it did. */
async function claim(database: Queries, name: VectorSpaceName): Promise<boolean> {
  const current = await currentSpace(database);
  if (current !== undefined && isSameSpace(current, name)) return false;
  if (current !== undefined) {
    const vector = await database
      .selectFrom('chunk_vectors')
      .select('chunk_key')
      .where('space_key', '=', current.key)
      .limit(1)
      .executeTakeFirst();
    if (vector !== undefined) {
      throw new ServiceError(
        'embedding_mismatch',
        `The corpus was embedded with ${describeSpace(current)}, but ${describeSpace(name)} is chosen now. ` +
          'Vectors of two embedders can not be compared. Choose the first again with CITEWELL_EMBEDDING_MODEL, ' +
          'or embed the corpus again with: citewell reindex',
      );
    }
    await forget(database, current);
  }
  const known = (await allSpaces(database)).find((space) => isSameSpace(space, name));
  if (known !== undefined) await forget(database, known);
  await insertSpace(database, name, 'current');
  return true;
}

/** The space to fill, created or resumed; an incomplete one of another name is dropped. */
async function prepareTarget(database: Queries, name: VectorSpaceName): Promise<SpaceRow> {
  const spaces = await allSpaces(database);
  for (const space of spaces) {
    if (space.state === 'building' && !isSameSpace(space, name)) await forget(database, space);
  }
  const known = spaces.find((space) => isSameSpace(space, name));
  return known ?? insertSpace(database, name, 'building');
}

async function forget(database: Queries, space: SpaceRow): Promise<void> {
  await database.deleteFrom('vector_spaces').where('key', '=', space.key).execute();
  await addPendingDrop(database, space.collection);
}

async function insertSpace(database: Queries, name: VectorSpaceName, state: 'current' | 'building'): Promise<SpaceRow> {
  const { embedder, version, dimensions } = name;
  return database
    .insertInto('vector_spaces')
    .values({
      embedder,
      version,
      dimensions,
      collection: await nameCollection(database, name),
      state,
      created_at: new Date().toISOString(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * A collection name that was never used before: by this corpus, by another one in the same Chroma, or by a dropped
 * space whose collection may still exist. It begins with the embedder's name, to be readable in Chroma.
 */
async function nameCollection(database: Queries, { embedder, version, dimensions }: VectorSpaceName): Promise<string> {
  const { value } = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'corpus_id')
    .executeTakeFirstOrThrow();
  const identity = [value, embedder, version, dimensions, Date.now(), Math.random()].join('\n');
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  const words = embedder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return `citewell-${words}-${dimensions}-${hash}`;
}

async function readSpaces(database: Queries): Promise<VectorSpace[]> {
  const rows = await database
    .selectFrom('vector_spaces as s')
    .selectAll('s')
    .select((expressions) =>
      expressions
        .selectFrom('chunk_vectors as v')
        .whereRef('v.space_key', '=', 's.key')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .as('vectors'),
    )
    .orderBy('s.key')
    .execute();
  return rows.map((row) => toSpace(row, row.vectors ?? 0));
}

async function readSpace(database: Queries, key: number): Promise<VectorSpace> {
  const row = await database.selectFrom('vector_spaces').selectAll().where('key', '=', key).executeTakeFirstOrThrow();
  const { count } = await database
    .selectFrom('chunk_vectors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('space_key', '=', key)
    .executeTakeFirstOrThrow();
  return toSpace(row, count);
}

function toSpace(row: SpaceRow, vectors: number): VectorSpace {
  const { embedder, version, dimensions, collection, state, created_at: createdAt } = row;
  return { embedder, version, dimensions, collection, state, vectors, createdAt };
}
