import { setTimeout as sleep } from 'node:timers/promises';
import type { ChromaClient, Collection } from 'chromadb';
import { ServiceError } from '../../errors.ts';
import type { ScopeCondition } from '../access-scope.ts';
import {
  RequestRefused,
  type StoredScopes,
  type VectorCollection,
  type VectorHit,
  type VectorRecord,
} from '../vector-index.ts';
import { type CallRetryLimits, callChroma } from './call-chroma.ts';
import type { CallKind, CallLimits } from './call-limits.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import {
  cancelled,
  isConnectionFailure,
  isMissing,
  isRefusal,
  isWriteDamage,
  mayBeDamage,
  toServiceError,
} from './chroma-failure.ts';
import { type DirectCollection, directCollection } from './direct-collection.ts';
import { EF_SEARCH, HAS_SCOPES } from './make-collection.ts';
import { dropCollection, findOrMakeCollection } from './named-collection.ts';
import { toMetadata, toWhere } from './scope-metadata.ts';
import { readInPages, withinResults, writeInBatches } from './split-calls.ts';

/** The client serialises vectors on the event loop, some 0.2 ms per thousand numbers, so batches are kept small. */
const BATCH_NUMBERS = 200_000;
const BATCH_RECORDS = 1_000;
const HEALTH_ATTEMPTS = 3;
const HEALTH_PAUSE_MS = 200;
/** An exhaustive comparison of all vectors would be faster than a search that takes this long. */
const SEARCH_LIMIT_MS = 15_000;
/** If the server stays busy for longer, comparing all stored vectors is better than waiting. */
const SEARCH_MAX_WAIT_MS = 2_000;

interface CallOptions extends CallRetryLimits {
  readonly kind?: CallKind;
  /** Whether the call is repeated when an embedded server ended during it and has been started again; true by default. */
  readonly awaitsRestart?: boolean;
}

export interface ChromaCollectionParts {
  readonly connection: ChromaConnection;
  /** The collection's name in Chroma. */
  readonly name: string;
  readonly dimensions: number;
  /** Called after the collection had to be recreated and is therefore empty. */
  onLost(): void;
}

/** A Chroma collection that is recreated when it is missing or damaged. */
export class ChromaCollection implements VectorCollection {
  readonly #parts: ChromaCollectionParts;
  readonly #direct: DirectCollection;
  #id: string | undefined;
  #isDropped = false;
  #hasScopes = false;
  #repair: Promise<boolean> | undefined;

  constructor(parts: ChromaCollectionParts) {
    this.#parts = parts;
    this.#direct = directCollection(parts.connection, () => (this.#isDropped ? undefined : this.#id));
  }

  get dimensions(): number {
    return this.#parts.dimensions;
  }

  /** Finds or creates the collection and verifies that it answers queries. */
  async open(): Promise<void> {
    try {
      this.#id = await this.#findOrMake();
    } catch (error) {
      throw toServiceError(error, this.#parts.connection.where);
    }
    await this.check();
  }

  /**
   * Verifies the collection with a query and recreates it when it is missing or permanently damaged. True when it was
   * intact.
   */
  async check(): Promise<boolean> {
    this.#repair ??= this.#tryRepair().finally(() => {
      this.#repair = undefined;
    });
    try {
      return await this.#repair;
    } catch (error) {
      throw toServiceError(error, this.#parts.connection.where);
    }
  }

  async clear(): Promise<void> {
    try {
      await this.#rebuild();
    } catch (error) {
      throw toServiceError(error, this.#parts.connection.where);
    }
  }

  async drop(): Promise<void> {
    this.#isDropped = true;
    await dropCollection(this.#parts.connection, this.#parts.name);
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
      await this.#write((collection) => collection.upsert({ ids, embeddings, ...(hasScopes && { metadatas }) }));
    });
  }

  async remove(keys: readonly number[]): Promise<void> {
    await writeInBatches(this.#limits, { items: keys, size: BATCH_RECORDS }, async (batch) => {
      await this.#write((collection) => collection.delete({ ids: batch.map(String) }));
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
      this.#ask((collection) => collection.query({ ...query, nResults }), retryLimits),
    );
    const ids = result.ids[0] ?? [];
    const distances = result.distances[0] ?? [];
    return ids.map((id, index) => ({ key: Number(id), distance: Math.max(0, distances[index] ?? 0) }));
  }

  count(): Promise<number> {
    return this.#ask((collection) => collection.count());
  }

  keys(page: { readonly offset: number; readonly limit: number }): Promise<number[]> {
    return readInPages(this.#limits, page, async ({ offset, limit }) => {
      const { ids } = await this.#ask((collection) => collection.get({ offset, limit, include: [] }));
      return ids.map(Number);
    });
  }

  get scopes(): StoredScopes | undefined {
    // Other processes may rely on the places of a collection that has them, so they are maintained.
    if (!this.#parts.connection.storesScopes && !this.#hasScopes) return undefined;
    return {
      areComplete: () => this.#hasScopes,
      set: (records) =>
        writeInBatches(this.#limits, { items: records, size: BATCH_RECORDS }, async (batch) => {
          const ids = batch.map(({ key }) => String(key));
          const metadatas = batch.map(({ scope }) => toMetadata(scope));
          await this.#write((collection) => collection.update({ ids, metadatas }));
        }),
      complete: async () => {
        await this.#setMetadata({ dimensions: this.#parts.dimensions, ...HAS_SCOPES });
        this.#hasScopes = true;
      },
    };
  }

  async #setMetadata(metadata: Readonly<Record<string, number>>): Promise<void> {
    const { connection, name } = this.#parts;
    try {
      await callChroma(connection, async (client) => (await client.getCollection({ name })).modify({ metadata }));
    } catch (error) {
      throw toServiceError(error, connection.where);
    }
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

  /** Like `#ask`, for writes: some damage to the index files shows only on writing. */
  async #write<T>(change: (collection: Collection) => Promise<T>): Promise<T> {
    try {
      return await this.#ask(change, { kind: 'write' });
    } catch (error) {
      const isBeyondRepair = error instanceof ServiceError && isWriteDamage(error.cause);
      if (!isBeyondRepair || this.#isDropped || !this.#parts.connection.isOurs) throw error;
      this.#repair ??= this.#discardAndRebuild().finally(() => {
        this.#repair = undefined;
      });
      await this.#repair;
      throw rebuilding(error);
    }
  }

  /** Retries once when the server was briefly unavailable; throws when the collection had to be recreated. */
  async #ask<T>(
    question: (collection: Collection) => Promise<T>,
    { kind = 'read', awaitsRestart = true, ...retryLimits }: CallOptions = {},
  ): Promise<T> {
    for (let isRetry = false; ; isRetry = true) {
      try {
        return await this.#call(question, kind, retryLimits);
      } catch (error) {
        if (retryLimits.signal?.aborted) throw cancelled(error);
        const { isOurs, where } = this.#parts.connection;
        const mayRepair = isOurs && mayBeDamage(error) && (awaitsRestart || !isConnectionFailure(error));
        const isRepairable = isMissing(error) || mayRepair;
        // With damaged files, some queries may fail although the check's query succeeds.
        if (isRetry && isRefusal(error)) throw new RequestRefused(toServiceError(error, where));
        if (isRetry || this.#isDropped || !isRepairable) throw toServiceError(error, where);
        if (!(await this.check())) throw rebuilding(error);
      }
    }
  }

  #call<T>(
    question: (collection: Collection) => Promise<T>,
    kind: CallKind,
    retryLimits: CallRetryLimits = {},
  ): Promise<T> {
    const { connection, name } = this.#parts;
    return this.#limits.withSlot({ collection: name, kind, signal: retryLimits.signal }, () =>
      callChroma(connection, async (client) => question(await this.#collection(client)), retryLimits),
    );
  }

  async #collection(client: ChromaClient): Promise<Collection> {
    if (this.#isDropped || this.#id === undefined) {
      throw new ServiceError('store_failed', `The collection ${this.#parts.name} is not open: it has been dropped.`);
    }
    return client.collection(this.#id);
  }

  async #tryRepair(): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#healthQuery();
        return true;
      } catch (error) {
        if (this.#isDropped) throw error;
        if (!isMissing(error)) {
          if (!this.#parts.connection.isOurs || !mayBeDamage(error)) throw error;
          if (attempt < HEALTH_ATTEMPTS) {
            await sleep(HEALTH_PAUSE_MS);
            continue;
          }
        }
        return await this.#discardAndRebuild();
      }
    }
  }

  async #discardAndRebuild(): Promise<false> {
    await this.#rebuild();
    this.#parts.onLost();
    return false;
  }

  async #healthQuery(): Promise<void> {
    const probe = Array.from({ length: this.#parts.dimensions }, (_, index) => (index === 0 ? 1 : 0));
    const question = { queryEmbeddings: [probe], nResults: 1, include: [] };
    await this.#call((collection) => collection.query(question), 'read');
  }

  async #rebuild(): Promise<void> {
    const { connection, name } = this.#parts;
    try {
      await dropCollection(connection, name);
      this.#id = await this.#findOrMake();
      await this.#healthQuery();
    } catch (error) {
      if (!mayBeDamage(error)) throw error;
      // The collection cannot even be dropped. Everything in the index can be rebuilt from the record store.
      await connection.empty();
      this.#id = await this.#findOrMake();
    }
  }

  async #findOrMake(): Promise<string> {
    const { id, metadata } = await findOrMakeCollection(this.#parts.connection, this.#parts);
    this.#hasScopes = metadata?.['places'] === HAS_SCOPES.places;
    return id;
  }
}

const restarting = (where: string): ServiceError =>
  new ServiceError('store_failed', `The vector index does not answer: ${where} is being started again.`, {
    retryAfter: 5,
  });

const rebuilding = (cause: unknown): ServiceError =>
  new ServiceError('store_failed', 'The vector index was damaged or lost and is being rebuilt from the records.', {
    cause,
    retryAfter: 10,
  });
