import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { NewChunk, NewDocument } from '../../src/store/corpus.ts';
import { type MemoryVectorIndex, memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openStore, type SqlStore, type StoreOptions } from '../../src/store/sql/open-store.ts';
import type { EmbeddingText } from '../../src/store/sql/vector-spaces/fill-space.ts';
import type { VectorSpaceName } from '../../src/store/vector-index.ts';
import { migratedDatabase } from './migrated-database.ts';
import { publication } from './new-document.ts';
import { temporaryFolder } from './temporary-folder.ts';

export { direction, newChunk, newChunks, newDocument, publication } from './new-document.ts';

/** The vector space of the vectors of `newChunk`. */
export const testSpace: VectorSpaceName = { embedder: 'test/angles', version: '1', dimensions: 4 };

export const embeddingText: EmbeddingText = ({ title, headingPath, text }) => [title, ...headingPath, text].join('\n');

export type TestStoreOptions = Pick<StoreOptions, 'versionsKept' | 'objects' | 'objectGraceMs' | 'report'> & {
  readonly schema?: NonNullable<StoreOptions['schema']>;
};

export interface TestStore extends SqlStore {
  readonly index: MemoryVectorIndex;
  readonly path: string;
  /** Closes and reopens, like a new process. */
  reopen(options?: TestStoreOptions): Promise<TestStore>;
}

/** A store with an in-memory vector index, in a temporary folder or at `existing`; closed after the test. */
export async function openTestStore(options: TestStoreOptions = {}, existing?: string): Promise<TestStore> {
  const path = existing ?? (await migratedDatabase(join(await temporaryFolder(), 'citewell.db')));
  return open(path, memoryVectorIndex(), options);
}

async function open(path: string, index: MemoryVectorIndex, options: TestStoreOptions): Promise<TestStore> {
  const store = await openStore({ path, index, embeddingText, readers: 1, ...options });
  return asTestStore(store, { path, index, reopen: (again = options) => open(path, index, again) });
}

/** Closes the store after the test; claims `space` if the store has no vector space yet. */
export async function asTestStore(
  store: SqlStore,
  { reopen, ...parts }: Pick<TestStore, 'path' | 'index' | 'reopen'>,
  space: VectorSpaceName = testSpace,
): Promise<TestStore> {
  onTestFinished(() => store.close());
  if ((await store.spaces.list()).length === 0) await store.spaces.claim(space);
  return {
    ...store,
    ...parts,
    async reopen(again) {
      await store.close();
      return reopen(again);
    },
  };
}

/** Begins, stages and publishes a document with these chunks. */
export async function ingest({ corpus }: SqlStore, document: NewDocument, chunks: readonly NewChunk[]) {
  await corpus.begin(document);
  await corpus.stage(document.id, chunks);
  return corpus.publish(document.id, publication(chunks.map((chunk) => chunk.text).join('\n')));
}
