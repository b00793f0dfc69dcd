import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountSettings, createAccounts, defaultAccountSettings } from '../../../src/access/accounts.ts';
import { createAuthenticator } from '../../../src/access/authenticator.ts';
import { collectionsWithinQuota } from '../../../src/access/collections-within-quota.ts';
import type { Authenticate } from '../../../src/access/credentials.ts';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { settleAdmins } from '../../../src/access/settle-admins.ts';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { createConversations } from '../../../src/conversations/conversations.ts';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../../src/embeddings/lexical-hash.ts';
import { createGraphDesk } from '../../../src/graph/graph-desk.ts';
import { createGraphThread } from '../../../src/graph/graph-thread.ts';
import { withGraph } from '../../../src/graph/search-graph.ts';
import type { Mount } from '../../../src/http/app.ts';
import type { HttpServices } from '../../../src/http/http-services.ts';
import { embeddingText } from '../../../src/ingest/embedding-text.ts';
import { createEnrichment } from '../../../src/ingest/enrich/enrichment.ts';
import { createIngestor } from '../../../src/ingest/ingest-document.ts';
import { createIngestionDesk } from '../../../src/ingest/ingestion-desk.ts';
import { createIngestionFeed } from '../../../src/ingest/ingestion-feed.ts';
import { withinQuota } from '../../../src/ingest/within-quota.ts';
import { createExtractiveModel } from '../../../src/models/extractive/extractive-model.ts';
import { createModelRegistry, type ModelSettings } from '../../../src/models/registry.ts';
import { openPromptBook } from '../../../src/prompts/prompt-book.ts';
import { createAnswerer } from '../../../src/rag/answer-question.ts';
import { createRetriever } from '../../../src/retrieval/create-retriever.ts';
import { defaultRunLogSettings, RunLog } from '../../../src/runs/run-log.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { createChunkSearch } from '../../../src/store/sql/chunk-search.ts';
import { openCollections } from '../../../src/store/sql/open-collections.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import { ragToolNames, ragTools, researchToolNames, researchTools } from '../../../tools/index.ts';
import { type RunningHttp, startHttp } from './start-http.ts';

interface CitewellOptions {
  readonly limits?: HttpServices['limits'];
  readonly authenticate?: Authenticate;
  /** How users are dealt with. */
  readonly accounts?: Partial<AccountSettings>;
  /** Nobody without credentials. */
  readonly isRequired?: boolean;
  /** The default admin logs in with the password of test suites. */
  readonly hasTestAdmin?: boolean;
  /** Language models; none unless told. */
  readonly models?: ModelSettings;
  /** Milliseconds a stream waits for a reader who left. */
  readonly grace?: number;
  /** Told of the passages that are embedded. */
  readonly onEmbed?: (texts: readonly string[]) => void;
  /** Another face beside it, over the same parts. */
  readonly mount?: (parts: MountedParts) => Mount;
}

/** What a face beside HTTP stands on. */
export type MountedParts = Pick<
  HttpServices,
  'corpus' | 'collections' | 'retriever' | 'ingestor' | 'sources' | 'answerer' | 'agent' | 'models' | 'prompts'
> & { readonly authenticate: Authenticate };

/** The same embedder, whose work can be counted. */
const watchedEmbedder = (model: EmbeddingModel, onEmbed: CitewellOptions['onEmbed']): EmbeddingModel => ({
  ...model,
  embed(texts, kind, signal) {
    if (kind === 'passage') onEmbed?.(texts);
    return model.embed(texts, kind, signal);
  },
});

/** The whole service over loopback on an empty corpus of its own. */
export async function startCitewell({
  limits,
  authenticate,
  accounts: accountSettings = {},
  isRequired = false,
  hasTestAdmin = false,
  models: settings,
  grace,
  onEmbed,
  mount,
}: CitewellOptions = {}): Promise<RunningHttp> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-http-'));
  const index = memoryVectorIndex();
  const store = await openStore({ path: join(folder, 'citewell.db'), index, embeddingText, readers: 1 });
  const { sqlite, corpus, spaces, conversations, maintenance } = store;
  const accounts = await createAccounts(
    // Passwords are guessed by nobody here.
    { ...defaultAccountSettings, passwordCost: 4, ...accountSettings },
    { ...store, store: store.people },
  );
  await settleAdmins(
    { knowsTestPassword: hasTestAdmin },
    { ...accounts, collections: store.collections, warn: () => {} },
  );
  const collections = collectionsWithinQuota(store.collections, accounts.quotas);
  const embeddings = watchedEmbedder(createLexicalHash(), onEmbed);
  const models = createModelRegistry({ extractive: createExtractiveModel(), ...settings });
  const prompts = await openPromptBook(store.prompts);
  const enrichment = createEnrichment({
    models,
    contexts: store.contexts,
    templateOf: (name) => prompts.get(name).template,
    prices: {},
    // Nobody here would write them.
    writesSummaries: false,
  });
  const feed = createIngestionFeed();
  const ingestor = withinQuota(
    createIngestor({ corpus, spaces, collections, embeddings, queue: store.queue, feed, enrichment }),
    accounts.quotas,
  );
  const ingestions = createIngestionDesk({ queue: store.queue, ingestor, feed, report: () => {} });
  const search = { search: sqlite.search, collections: openCollections(index), state: maintenance.state };
  const retriever = withGraph({
    retriever: createRetriever({ chunks: createChunkSearch(search), embedder: embeddings }),
    graph: store.graphSearch,
    embedder: embeddings,
  });
  const graph = createGraphDesk({
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
  const parts = { corpus, collections, retriever, ingestor, sources, answerer, agent, models, prompts };
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
      embeddings,
      models,
      reindex: ({ back }, signal) => (back ? spaces.goBack(embeddings, signal) : spaces.reindex(embeddings, signal)),
      ...(limits && { limits }),
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
