import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authenticate } from '../../../src/http/authenticate.ts';
import type { HttpServices } from '../../../src/http/http-services.ts';
import { embeddingText } from '../../../src/ingest/embedding-text.ts';
import { createIngestor } from '../../../src/ingest/ingest-document.ts';
import { createRetriever } from '../../../src/retrieval/create-retriever.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { createChunkSearch } from '../../../src/store/sql/chunk-search.ts';
import { openCollections } from '../../../src/store/sql/open-collections.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import { saying, scriptedModels } from './scripted-models.ts';
import { type RunningHttp, startHttp } from './start-http.ts';
import { quotingAnswerer, wordEmbeddings } from './twins.ts';

/** The whole service over loopback on an empty corpus of its own. */
export async function startCitewell(
  parts: Partial<HttpServices> = {},
  authenticate?: Authenticate,
): Promise<RunningHttp> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-http-'));
  const index = memoryVectorIndex();
  const store = await openStore({ path: join(folder, 'citewell.db'), index, embeddingText, readers: 1 });
  const { sqlite, corpus, spaces, collections, conversations, maintenance } = store;
  const ingestor = createIngestor({ corpus, spaces, collections, embeddings: wordEmbeddings });
  const chunks = createChunkSearch({
    search: sqlite.search,
    collections: openCollections(index),
    state: maintenance.state,
  });
  const retriever = createRetriever({ chunks, embedder: wordEmbeddings });
  const http = await startHttp(
    {
      corpus,
      collections,
      conversations,
      retriever,
      ingestor,
      answerer: quotingAnswerer(retriever),
      embeddings: wordEmbeddings,
      models: scriptedModels(() => saying('Hello', ' there')),
      reindex: (request, signal) =>
        request.back ? spaces.goBack(wordEmbeddings, signal) : spaces.reindex(wordEmbeddings, signal),
      ...parts,
    },
    authenticate,
  );
  return {
    ...http,
    async close() {
      await http.close();
      await ingestor.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
