import { ServiceError } from '../../src/errors.ts';
import type { MemoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { nearestIndexed } from '../../src/store/pgvector/nearest-indexed.ts';
import { openPgvector } from '../../src/store/pgvector/pgvector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import type { VectorCollection, VectorSpaceName } from '../../src/store/vector-index.ts';
import { asTestStore, embeddingText, type TestStore, type TestStoreOptions } from './store.ts';

/** A store whose vectors are searched by pgvector in the same database; closed after the test. */
export async function openPgvectorStore(
  url: string,
  options: TestStoreOptions = {},
  space?: VectorSpaceName,
): Promise<TestStore> {
  const index = await switchablePgvector(url);
  const store = await openPostgresStore({ url, index, nearestIndexed, embeddingText, readers: 2, ...options });
  const close = async () => {
    await store.close();
    await index.close();
  };
  const reopen = (again = options) => openPgvectorStore(url, again, space);
  return asTestStore({ ...store, close }, { path: url, index, reopen }, space);
}

/** The pgvector index, wrapped so that a test can make it fail. */
async function switchablePgvector(url: string): Promise<MemoryVectorIndex> {
  const index = await openPgvector({ url });
  let isUp = true;
  const listeners: (() => void)[] = [];
  const check = () => {
    if (!isUp) throw new ServiceError('store_failed', 'The vector index is down.');
  };
  const checked = <Method extends (...parameters: never[]) => Promise<unknown>>(method: Method) =>
    (async (...parameters: Parameters<Method>) => {
      check();
      return method(...parameters);
    }) as Method;
  const switchable = (collection: VectorCollection): VectorCollection => ({
    upsert: checked(collection.upsert),
    remove: checked(collection.remove),
    nearest: checked(collection.nearest),
    count: checked(collection.count),
    ...(collection.settle && { settle: checked(collection.settle) }),
    clear: checked(collection.clear),
    keys: checked(collection.keys),
  });
  return {
    ...index,
    open: checked(async (name, dimensions) => switchable(await index.open(name, dimensions))),
    drop: checked(index.drop),
    list: checked(index.list),
    isHealthy: async () => isUp && index.isHealthy(),
    onRecovered: (listener) => void listeners.push(listener),
    simulateOutage() {
      isUp = false;
    },
    endOutage(how) {
      isUp = true;
      if (how !== 'silently') for (const listener of listeners) listener();
    },
  };
}
