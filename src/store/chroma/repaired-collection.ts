import { setTimeout as sleep } from 'node:timers/promises';
import type { ChromaClient, Collection } from 'chromadb';
import { ServiceError } from '../../errors.ts';
import { RequestRefused } from '../vector-index.ts';
import { type CallRetryLimits, callChroma } from './call-chroma.ts';
import type { CallKind } from './call-limits.ts';
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
import { HAS_SCOPES } from './make-collection.ts';
import { dropCollection, findOrMakeCollection } from './named-collection.ts';

const HEALTH_ATTEMPTS = 3;
const HEALTH_PAUSE_MS = 200;

interface CallOptions extends CallRetryLimits {
  readonly kind?: CallKind;
  /** Whether the call is repeated when an embedded server ended during it and has been started again; true by default. */
  readonly awaitsRestart?: boolean;
}

export interface RepairedCollectionParts {
  readonly connection: ChromaConnection;
  /** The collection's name in Chroma. */
  readonly name: string;
  readonly dimensions: number;
  /** Called after the collection had to be recreated and is therefore empty. */
  onLost(): void;
}

/** Calls of a Chroma collection, which is recreated when it is missing or damaged. */
export class RepairedCollection {
  readonly #parts: RepairedCollectionParts;
  #id: string | undefined;
  #isDropped = false;
  #hasScopes = false;
  #repair: Promise<boolean> | undefined;

  constructor(parts: RepairedCollectionParts) {
    this.#parts = parts;
  }

  /** Its current identifier in Chroma; undefined if it is not open. */
  get id(): string | undefined {
    return this.#isDropped ? undefined : this.#id;
  }

  /** Whether each of its records has its access scope. */
  get hasScopes(): boolean {
    return this.#hasScopes;
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

  /** Recreates the collection, empty. */
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

  /** Like `ask`, for writes: some damage to the index files shows only on writing. */
  async write<T>(change: (collection: Collection) => Promise<T>): Promise<T> {
    try {
      return await this.ask(change, { kind: 'write' });
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
  async ask<T>(
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

  /** Notes in Chroma that each record has its access scope. */
  async completeScopes(): Promise<void> {
    const { connection, name, dimensions } = this.#parts;
    const metadata = { dimensions, ...HAS_SCOPES };
    try {
      await callChroma(connection, async (client) => (await client.getCollection({ name })).modify({ metadata }));
    } catch (error) {
      throw toServiceError(error, connection.where);
    }
    this.#hasScopes = true;
  }

  #call<T>(
    question: (collection: Collection) => Promise<T>,
    kind: CallKind,
    retryLimits: CallRetryLimits = {},
  ): Promise<T> {
    const { connection, name } = this.#parts;
    return this.#parts.connection.limits.withSlot({ collection: name, kind, signal: retryLimits.signal }, () =>
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

const rebuilding = (cause: unknown): ServiceError =>
  new ServiceError('store_failed', 'The vector index was damaged or lost and is being rebuilt from the records.', {
    cause,
    retryAfter: 10,
  });
