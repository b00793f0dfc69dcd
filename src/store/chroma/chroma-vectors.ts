import { ServiceError } from '../../errors.ts';
import type { VectorCollection, VectorIndex } from '../vector-index.ts';
import { ChromaCollection } from './chroma-collection.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { toServiceError } from './chroma-failure.ts';
import type { ChromaLog } from './chroma-log.ts';
import { fromCollectionName, toCollectionName } from './collection-name.ts';
import { dropCollection } from './named-collection.ts';

export interface ChromaVectorsOptions {
  readonly connection: ChromaConnection;
  /** Prefix of Citewell's collection names; other collections in the same Chroma are left alone. */
  readonly prefix: string;
  readonly log: ChromaLog;
}

const HEALTHY_WITHIN_MS = 1_000;

/** VectorIndex over a Chroma server. */
export class ChromaVectors implements VectorIndex {
  readonly #options: ChromaVectorsOptions;
  readonly #collections = new Map<string, { readonly collection: ChromaCollection; readonly opened: Promise<void> }>();
  readonly #listeners: (() => void)[] = [];
  #isClosed = false;

  constructor(options: ChromaVectorsOptions) {
    this.#options = options;
    options.connection.onRecovered(() => void this.#checkAll());
  }

  async open(name: string, dimensions: number): Promise<VectorCollection> {
    const known = this.#collections.get(name);
    if (known && known.collection.dimensions !== dimensions) {
      throw new ServiceError(
        'store_failed',
        `The collection ${name} is open for vectors of ${known.collection.dimensions} numbers, not ${dimensions}.`,
      );
    }
    const { collection, opened } = known ?? this.#begin(name, dimensions);
    await opened;
    return collection;
  }

  async drop(name: string): Promise<void> {
    const known = this.#collections.get(name);
    this.#collections.delete(name);
    const { connection, prefix } = this.#options;
    try {
      if (known) await known.collection.drop();
      else await dropCollection(connection, toCollectionName(prefix, name));
    } catch (error) {
      throw toServiceError(error, connection.where);
    }
  }

  async list(): Promise<string[]> {
    const { connection, prefix } = this.#options;
    try {
      const names = await connection.collectionNames();
      return names.flatMap((name) => fromCollectionName(prefix, name) ?? []);
    } catch (error) {
      throw toServiceError(error, connection.where);
    }
  }

  get isOurs(): boolean {
    return this.#options.connection.isOurs;
  }

  get storesScopes(): boolean {
    return this.#options.connection.storesScopes;
  }

  async isHealthy(): Promise<boolean> {
    if (!this.#options.connection.isUp()) return false;
    try {
      const client = await this.#options.connection.client(AbortSignal.timeout(HEALTHY_WITHIN_MS));
      // Unlike the heartbeat, this call fails when the token is rejected.
      await client.countCollections();
      return true;
    } catch {
      return false;
    }
  }

  onRecovered(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#options.connection.close();
  }

  #begin(name: string, dimensions: number): { collection: ChromaCollection; opened: Promise<void> } {
    const { connection, prefix, log } = this.#options;
    const collection = new ChromaCollection({
      connection,
      name: toCollectionName(prefix, name),
      dimensions,
      onLost: () => {
        log.warn({ collection: name }, 'A vector collection was lost or damaged and is recreated, empty.');
        this.#notifyRecovered();
      },
    });
    const opened = collection.open();
    const entry = { collection, opened };
    this.#collections.set(name, entry);
    // The next caller tries again.
    opened.catch(() => this.#collections.get(name) === entry && this.#collections.delete(name));
    return entry;
  }

  /** After an outage, recreates missing or damaged collections; the others may have lost their last writes. */
  async #checkAll(): Promise<void> {
    const { log } = this.#options;
    for (const [name, { collection, opened }] of [...this.#collections]) {
      try {
        await opened;
        await collection.check();
      } catch (error) {
        if (this.#isClosed) return;
        log.warn({ collection: name, reason: String(error) }, 'A vector collection could not be checked.');
      }
    }
    this.#notifyRecovered();
  }

  #notifyRecovered(): void {
    if (this.#isClosed) return;
    for (const listener of this.#listeners) listener();
  }
}
