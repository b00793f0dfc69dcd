import type { Adapters } from '../../src/compose/adapters.ts';
import { defaultSettings } from '../../src/compose/settings.ts';
import { withEmbedder } from '../../src/embeddings/embedders.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { packagedModel } from '../../src/embeddings/static/static-model.ts';
import { ServiceError } from '../../src/errors.ts';
import { createGraphThread } from '../../src/graph/graph-thread.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive-model.ts';
import { createModelRegistry } from '../../src/models/registry.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import type { Store } from '../../src/store/store.ts';
import type { VectorIndex } from '../../src/store/vector-index.ts';
import { sharedReaders } from './shared-readers.ts';

export type OpenStore = Store & { readonly index: VectorIndex };

/**
 * Adapters over an open store that need no API key or network and start no processes except the document readers.
 * Closing them leaves the store open.
 */
export function adaptersOver(store: OpenStore, change: Partial<Adapters> = {}): Adapters {
  const readers = sharedReaders();
  return {
    store,
    index: store.index,
    embedders: onlyEmbedder(createLexicalHash()),
    models: createModelRegistry({ extractive: createExtractiveModel() }),
    readers,
    graphThread: createGraphThread(),
    analyser: { analyse, analyseQuery },
    external: { names: [], covers: () => false, offer: async () => [], problems: () => [] },
    deployment: {
      version: '0.0.0-test',
      data: '/data',
      index: 'memory',
      settings: ({ models }) => ({ app: { quality_llm: models.defaultName('quality') } }),
      hints: () => [],
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    settings: testSettings,
    close: readers.close,
    ...change,
  };
}

/** Default settings without prices and with a low password cost, because password security has tests of its own. */
export const testSettings = {
  ...defaultSettings,
  accounts: { ...defaultSettings.accounts, passwordCost: 4 },
  prices: {},
};

export const onlyEmbedder = (embedder: EmbeddingModel): Adapters['embedders'] =>
  withEmbedder(
    {
      required: undefined,
      preferred: embedder.name,
      create(name) {
        throw new ServiceError('unknown_model', `"${name}" is not an embedding model of this test.`);
      },
      packaged: packagedModel,
      async *learn() {
        yield* [];
        throw new Error('Nothing is learned in this test.');
      },
    },
    embedder,
  );
