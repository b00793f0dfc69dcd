import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountSettings, createAccounts, defaultAccountSettings } from '../../../src/access/accounts.ts';
import { createAuthenticator } from '../../../src/access/authenticator.ts';
import { collectionsWithinQuota } from '../../../src/access/collections-within-quota.ts';
import type { Authenticate } from '../../../src/access/credentials.ts';
import { ensureAdmins } from '../../../src/access/ensure-admins.ts';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { createConversations } from '../../../src/conversations/conversations.ts';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../../src/embeddings/lexical-hash.ts';
import { createGraphService } from '../../../src/graph/graph-service.ts';
import { createGraphThread } from '../../../src/graph/graph-thread.ts';
import { withGraph } from '../../../src/graph/search-graph.ts';
import type { Mount } from '../../../src/http/app.ts';
import type { HttpServices } from '../../../src/http/http-services.ts';
import { embeddingText } from '../../../src/ingest/embedding-text.ts';
import { createEnrichment } from '../../../src/ingest/enrich/enrichment.ts';
import { createIngestor } from '../../../src/ingest/ingest-document.ts';
import { createIngestionFeed } from '../../../src/ingest/ingestion-feed.ts';
import { createIngestionService } from '../../../src/ingest/ingestion-service.ts';
import { withinQuota } from '../../../src/ingest/within-quota.ts';
import { createExtractiveModel } from '../../../src/models/extractive/extractive-model.ts';
import { createModelRegistry, type ModelSettings } from '../../../src/models/registry.ts';
import { openPromptService } from '../../../src/prompts/prompt-service.ts';
import { createAnswerer } from '../../../src/rag/answer-question.ts';
import { createAnswerChecker } from '../../../src/rag/check-answer.ts';
import { createRetriever } from '../../../src/retrieval/create-retriever.ts';
import { withOutlines } from '../../../src/retrieval/with-outlines.ts';
import { defaultRunLogSettings, RunLog } from '../../../src/runs/run-log.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openCollections } from '../../../src/store/sql/index-sync/open-collections.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import { createChunkSearch } from '../../../src/store/sql/search/chunk-search.ts';
import { ragToolNames, ragTools, researchToolNames, researchTools } from '../../../tools/index.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { type RunningHttp, startHttp } from './start-http.ts';

interface CitewellOptions {
  readonly limits?: HttpServices['limits'];
  readonly trustedProxies?: readonly string[];
  readonly authenticate?: Authenticate;
  /** Account settings. */
  readonly accounts?: Partial<AccountSettings>;
  /** Rejects requests without credentials. */
  readonly isRequired?: boolean;
  /** The default admin has the password that test suites use. */
  readonly hasTestAdmin?: boolean;
  /** Uploads are answered once they are queued, as with CITEWELL_INGEST=queue. */
  readonly queues?: boolean;
  /** Language models; none by default. */
  readonly models?: ModelSettings;
  /** Milliseconds a stream waits for a disconnected client. */
  readonly grace?: number;
  /** Called with the texts that are embedded. */
  readonly onEmbed?: (texts: readonly string[]) => void;
  /** An additional interface over the same parts. */
  readonly mount?: (parts: MountedParts) => Mount;
}

/** The parts an additional interface uses. */
export type MountedParts = Pick<
  HttpServices,
  | 'corpus'
  | 'collections'
  | 'retriever'
  | 'ingestor'
  | 'sources'
  | 'answerer'
  | 'checker'
  | 'agent'
  | 'models'
  | 'prompts'
> & { readonly authenticate: Authenticate };

/** Wraps an embedder to count its calls. */
const watchedEmbedder = (model: EmbeddingModel, onEmbed: CitewellOptions['onEmbed']): EmbeddingModel => ({
  ...model,
  embed(texts, kind, signal) {
    if (kind === 'passage') onEmbed?.(texts);
    return model.embed(texts, kind, signal);
  },
});

/** The whole service over loopback on an empty corpus. */
export async function startCitewell({
  limits,
  trustedProxies,
  authenticate,
  accounts: accountSettings = {},
  isRequired = false,
  hasTestAdmin = false,
  queues = false,
  models: settings,
  grace,
  onEmbed,
  mount,
}: CitewellOptions = {}): Promise<RunningHttp> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-http-'));
  const index = memoryVectorIndex();
  const store = await openStore({
    path: await migratedDatabase(join(folder, 'citewell.db')),
    index,
    embeddingText,
    readers: 1,
  });
  const { sqlite, corpus, spaces, conversations, maintenance } = store;
  const accounts = await createAccounts(
    // A low cost, because password security is not tested here.
    { ...defaultAccountSettings, passwordCost: 4, ...accountSettings },
    { ...store, store: store.people },
  );
  await ensureAdmins(
    { knowsTestPassword: hasTestAdmin },
    { ...accounts, collections: store.collections, warn: () => {} },
  );
  const collections = collectionsWithinQuota(store.collections, accounts.quotas);
  const embeddings = watchedEmbedder(createLexicalHash(), onEmbed);
  const models = createModelRegistry({ extractive: createExtractiveModel(), ...settings });
  const prompts = await openPromptService(store.prompts);
  const enrichment = createEnrichment({
    models,
    contexts: store.contexts,
    templateOf: (name) => prompts.get(name).template,
    prices: {},
    // No model is configured to write them.
    writesSummaries: false,
  });
  const feed = createIngestionFeed();
  const ingestor = withinQuota(
    createIngestor({ corpus, spaces, collections, embeddings, queue: store.queue, feed, enrichment }),
    accounts.quotas,
  );
  const ingestions = createIngestionService({
    queue: store.queue,
    ingestor,
    feed,
    report: () => {},
    queuesByDefault: queues,
  });
  const search = { search: sqlite.search, collections: openCollections(index), state: maintenance.state };
  const retriever = withGraph({
    retriever: withOutlines(createRetriever({ chunks: createChunkSearch(search), embedder: embeddings }), corpus),
    graph: store.graphSearch,
    embedder: embeddings,
    passages: corpus,
  });
  const graph = createGraphService({
    records: store.graphs,
    documents: store.documentGraphs,
    collections: store.collections,
    thread: createGraphThread(),
    models,
    prices: {},
    changes: { subscribe: () => () => {} },
    settings: { isAutomatic: false },
    report: () => {},
  });
  const analyser = { analyse, analyseQuery };
  const checker = createAnswerChecker({ retriever, library: corpus, analyser });
  const answerer = createAnswerer({ retriever, models, analyser, prompts });
  const kept = createConversations(conversations);
  const agent = createAgent({
    models,
    retriever,
    library: corpus,
    conversations: kept,
    tools: [...ragTools, ...researchTools],
    toolNames: { rag: ragToolNames, research: researchToolNames },
    met: new Set(),
    analyser,
    prices: {},
    policy: { codeAfterUntrusted: false, newAddressesAfterUntrusted: false },
    window: 128_000,
    prompts,
  });
  const allowed =
    authenticate ??
    createAuthenticator({
      keys: [],
      localToken: () => undefined,
      people: accounts.people,
      ...(!isRequired && { anonymous: defaultAdmin }),
    });
  const sources = store.sources;
  const parts = { corpus, collections, retriever, ingestor, sources, answerer, checker, agent, models, prompts };
  const http = await startHttp(
    {
      corpus,
      versions: store.versions,
      descriptions: store.descriptions,
      collections,
      graph,
      conversations: kept,
      prompts,
      indices: { list: () => spaces.list(), state: maintenance.state, audit: () => maintenance.audit() },
      settings: () => ({ app: { quality_llm: models.defaultName('quality') } }),
      accounts,
      agent,
      retriever,
      ingestor,
      ingestions,
      sources: store.sources,
      answerer,
      checker,
      embeddings,
      models,
      reindex: ({ back }, signal) => (back ? spaces.goBack(embeddings, signal) : spaces.reindex(embeddings, signal)),
      ...(limits && { limits }),
      ...(trustedProxies && { trustedProxies }),
      ...(grace !== undefined && { runs: new RunLog({ ...defaultRunLogSettings, grace }) }),
    },
    allowed,
    undefined,
    mount === undefined ? [] : [mount({ ...parts, authenticate: allowed })],
  );
  return {
    ...http,
    async close() {
      await http.close();
      await graph.close();
      await ingestions.close();
      await ingestor.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
