import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { defaultCollectionId, documentId } from '../../src/documents/ids.ts';
import type { NewChunk, NewDocument, Publication } from '../../src/store/corpus.ts';
import { type MemoryVectorIndex, memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import type { EmbeddingText } from '../../src/store/sql/fill-space.ts';
import { openStore, type Store } from '../../src/store/sql/open-store.ts';
import type { VectorSpaceName } from '../../src/store/vector-index.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The space that the vectors of `chunk` are of. */
export const testSpace: VectorSpaceName = { embedder: 'test/angles', version: '1', dimensions: 4 };

export const embeddingText: EmbeddingText = ({ title, headingPath, text }) => [title, ...headingPath, text].join('\n');

export interface TestStore extends Store {
  readonly index: MemoryVectorIndex;
  readonly path: string;
  /** Closes and opens again, as a new process would. */
  reopen(): Promise<TestStore>;
}

/** A store in a folder of its own over the twin of the vector index, claimed for `testSpace`, closed with the test. */
export async function openTestStore(): Promise<TestStore> {
  const path = join(await temporaryFolder(), 'citewell.db');
  return open(path, memoryVectorIndex());
}

async function open(path: string, index: MemoryVectorIndex): Promise<TestStore> {
  const store = await openStore({ path, index, embeddingText });
  onTestFinished(() => store.close());
  if ((await store.spaces.list()).length === 0) await store.spaces.claim(testSpace);
  return {
    ...store,
    index,
    path,
    async reopen() {
      await store.close();
      return open(path, index);
    },
  };
}

/** A document on its way in, told apart by its name. */
export function newDocument(name: string, change: Partial<NewDocument> = {}): NewDocument {
  const ownerId = defaultAdmin.userId;
  return {
    id: documentId(name, ownerId),
    ownerId,
    collectionIds: [defaultCollectionId(ownerId)],
    type: 'txt',
    title: name,
    metadata: {},
    source: null,
    fileName: `${name}.txt`,
    mediaType: 'text/plain',
    bytes: Buffer.from(`bytes of ${name}`),
    settings: {},
    ...change,
  };
}

/** A passage at a place, with a direction of its own. */
export function newChunk(order: number, text = `passage number ${order}`, change: Partial<NewChunk> = {}): NewChunk {
  return {
    text,
    order,
    start: 0,
    end: text.length,
    page: null,
    headingPath: [],
    vector: direction(order),
    ...change,
  };
}

export const newChunks = (count: number, text?: string): NewChunk[] =>
  Array.from({ length: count }, (_, order) => newChunk(order, text));

/** A unit vector of `testSpace`; other numbers, other directions. */
export function direction(number: number): Float32Array {
  const angle = number * 0.7;
  return Float32Array.of(Math.cos(angle) * 0.8, Math.sin(angle) * 0.8, 0.6, 0);
}

export function publication(text: string, change: Partial<Publication> = {}): Publication {
  return { text, pages: [], summary: null, totalTokens: 0, ...change };
}

/** Begins, stages and publishes a document with these passages. */
export async function ingest({ corpus }: Store, document: NewDocument, chunks: readonly NewChunk[]) {
  await corpus.begin(document);
  await corpus.stage(document.id, chunks);
  return corpus.publish(document.id, publication(chunks.map((chunk) => chunk.text).join('\n')));
}
