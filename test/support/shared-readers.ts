import type { DocumentReaders } from '../../src/ingest/document-readers.ts';
import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';

let shared: DocumentReaders | undefined;

/** Reader processes shared by tests, because starting one takes a third of a second. They end with the test worker. */
export function sharedReaders(): DocumentReaders {
  shared ??= createPreparationWorkers();
  return { ...shared, close: async () => {} };
}
