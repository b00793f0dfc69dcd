import { ServiceError } from '../../errors.ts';
import type { ScopeCondition } from '../access-scope.ts';
import type { StoredScopes, VectorCollection, VectorHit, VectorRecord } from '../vector-index.ts';
import { callChroma } from './call-chroma.ts';
import type { CallLimits } from './call-limits.ts';
import { toServiceError } from './chroma-failure.ts';
import { type DirectCollection, directCollection } from './direct-collection.ts';
import { EF_SEARCH } from './make-collection.ts';
import { RepairedCollection, type RepairedCollectionParts } from './repaired-collection.ts';
import { toMetadata, toWhere } from './scope-metadata.ts';
import { readInPages, withinResults, writeInBatches } from './split-calls.ts';

/** The client serialises vectors on the event loop, some 0.2 ms per thousand numbers, so batches are kept small. */
const BATCH_NUMBERS = 200_000;
const BATCH_RECORDS = 1_000;
/** An exhaustive comparison of all vectors would be faster than a search that takes this long. */
const SEARCH_LIMIT_MS = 15_000;
/** If the server stays busy for longer, comparing all stored vectors is better than waiting. */
const SEARCH_MAX_WAIT_MS = 2_000;

/** A collection of vectors in Chroma. */
export class ChromaCollection implements VectorCollection {
  readonly #parts: RepairedCollectionParts;
  readonly #collection: RepairedCollection;
  readonly #direct: DirectCollection;

  constructor(parts: RepairedCollectionParts) {
    this.#parts = parts;
    this.#collection = new RepairedCollection(parts);
    this.#direct = directCollection(parts.connection, () => this.#collection.id);
  }

  get dimensions(): number {
    return this.#parts.dimensions;
  }

  /** Finds or creates the collection and verifies that it answers queries. */
  open(): Promise<void> {
    return this.#collection.open();
  }

  /** Verifies the collection with a query and recreates it if necessary. True when it was intact. */
  check(): Promise<boolean> {
    return this.#collection.check();
  }

  clear(): Promise<void> {
    return this.#collection.clear();
  }

  drop(): Promise<void> {
    return this.#collection.drop();
  }

  async upsert(records: readonly VectorRecord[]): Promise<void> {
    for (const { vector } of records) this.#checkLength(vector);
    const size = Math.max(1, Math.min(BATCH_RECORDS, Math.floor(BATCH_NUMBERS / this.#parts.dimensions)));
    if (records.length > 0) await this.#prepare();
    await writeInBatches(this.#limits, { items: records, size }, async (batch) => {
      if (await this.#direct.upsert(batch)) return;
      const ids = batch.map(({ key }) => String(key));
      const embeddings = batch.map(({ vector }) => Array.from(vector));
      const metadatas = batch.map(({ scope }) => (scope === undefined ? {} : toMetadata(scope)));
      const hasScopes = batch.every(({ scope }) => scope !== undefined);
      await this.#collection.write((collection) =>
        collection.upsert({ ids, embeddings, ...(hasScopes && { metadatas }) }),
      );
    });
  }

  async remove(keys: readonly number[]): Promise<void> {
    await writeInBatches(this.#limits, { items: keys, size: BATCH_RECORDS }, async (batch) => {
      await this.#collection.write((collection) => collection.delete({ ids: batch.map(String) }));
    });
  }

  get maxResults(): number {
    return this.#limits.quotas().results;
  }

  /** Chroma Cloud has another kind of index. */
  get candidates(): number | undefined {
    return this.#parts.connection.isOurs ? EF_SEARCH : undefined;
  }

  async nearest(
    vector: Float32Array,
    limit: number,
    signal?: AbortSignal,
    within: readonly ScopeCondition[] = [],
  ): Promise<VectorHit[]> {
    this.#checkLength(vector);
    if (limit < 1) return [];
    const where = this.scopes === undefined ? undefined : toWhere(within, this.#limits.quotas().predicates);
    const retryLimits = { signal, limitMs: SEARCH_LIMIT_MS, maxWaitMs: SEARCH_MAX_WAIT_MS, awaitsRestart: false };
    const direct = where === undefined ? await this.#direct.nearest(vector, limit, retryLimits) : undefined;
    if (direct !== undefined) return direct;
    const { connection } = this.#parts;
    // Comparing the stored vectors is faster than waiting until the server has been started again.
    if (!connection.isUp()) throw restarting(connection.where);
    const queryEmbeddings = [Array.from(vector)];
    const query = { queryEmbeddings, include: ['distances' as const], ...(where && { where }) };
    const result = await withinResults(this.#limits, limit, (nResults) =>
      this.#collection.ask((collection) => collection.query({ ...query, nResults }), retryLimits),
    );
    const ids = result.ids[0] ?? [];
    const distances = result.distances[0] ?? [];
    return ids.map((id, index) => ({ key: Number(id), distance: Math.max(0, distances[index] ?? 0) }));
  }

  count(): Promise<number> {
    return this.#collection.ask((collection) => collection.count());
  }

  keys(page: { readonly offset: number; readonly limit: number }): Promise<number[]> {
    return readInPages(this.#limits, page, async ({ offset, limit }) => {
      const { ids } = await this.#collection.ask((collection) => collection.get({ offset, limit, include: [] }));
      return ids.map(Number);
    });
  }

  get scopes(): StoredScopes | undefined {
    // Other processes may rely on the places of a collection that has them, so they are maintained.
    if (!this.#parts.connection.storesScopes && !this.#collection.hasScopes) return undefined;
    return {
      areComplete: () => this.#collection.hasScopes,
      set: (records) =>
        writeInBatches(this.#limits, { items: records, size: BATCH_RECORDS }, async (batch) => {
          const ids = batch.map(({ key }) => String(key));
          const metadatas = batch.map(({ scope }) => toMetadata(scope));
          await this.#collection.write((collection) => collection.update({ ids, metadatas }));
        }),
      complete: () => this.#collection.completeScopes(),
    };
  }

  get #limits(): CallLimits {
    return this.#parts.connection.limits;
  }

  async #prepare(): Promise<void> {
    if (this.#limits.checks() !== undefined) return;
    const { connection } = this.#parts;
    try {
      await this.#limits.prepare(() => callChroma(connection, (client) => client.getPreflightChecks()));
    } catch (error) {
      throw toServiceError(error, connection.where);
    }
  }

  #checkLength(vector: Float32Array): void {
    const { dimensions, name } = this.#parts;
    if (vector.length === dimensions) return;
    throw new ServiceError(
      'store_failed',
      `A vector of ${vector.length} numbers does not fit the collection ${name}, whose vectors have ${dimensions}.`,
    );
  }
}

const restarting = (where: string): ServiceError =>
  new ServiceError('store_failed', `The vector index does not answer: ${where} is being started again.`, {
    retryAfter: 5,
  });
