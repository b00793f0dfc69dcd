import { join } from 'node:path';
import type { Logger } from 'pino';
import { ragToolNames, ragTools, researchToolNames, researchTools } from '../tools/index.ts';
import { createAccounts } from './access/accounts.ts';
import { collectionsWithinQuota } from './access/collections-within-quota.ts';
import { ensureAdmins } from './access/ensure-admins.ts';
import { createAgent } from './agent/create-agent.ts';
import type { Config } from './config.ts';
import { createConversations } from './conversations/conversations.ts';
import { defaultEmbeddingName } from './embeddings/registry.ts';
import { sharingQueries } from './embeddings/sharing-queries.ts';
import { withGraph } from './graph/search-graph.ts';
import { defaultHttpLimits, type HttpServices, type ServiceStatus } from './http/http-services.ts';
import { embeddingText } from './ingest/embedding-text.ts';
import { createIngestor } from './ingest/ingest-document.ts';
import { createIngestionFeed } from './ingest/ingestion-feed.ts';
import { createIngestionService } from './ingest/ingestion-service.ts';
import { withinQuota } from './ingest/within-quota.ts';
import { createExternalTools } from './mcp/external-tools.ts';
import { createExtractiveModel } from './models/extractive/extractive-model.ts';
import { listPrices } from './models/prices.ts';
import { createModelRegistry } from './models/registry.ts';
import { openPromptService } from './prompts/prompt-service.ts';
import { createAnswerer } from './rag/answer-question.ts';
import { createAnswerChecker } from './rag/check-answer.ts';
import { createRetriever } from './retrieval/create-retriever.ts';
import { modelQueryVariants } from './retrieval/rewrite-query.ts';
import { withDescriptions } from './retrieval/search-documents.ts';
import { modelStandaloneQueries } from './retrieval/standalone-query.ts';
import { withOutlines } from './retrieval/with-outlines.ts';
import { defaultRunLogSettings, RunLog } from './runs/run-log.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { hintsFor } from './services/hints.ts';
import type { Learner } from './services/learner.ts';
import { requireModels } from './services/naming.ts';
import { openEmbedder } from './services/open-embedder.ts';
import { openEnrichment } from './services/open-enrichment.ts';
import { openGraph } from './services/open-graph.ts';
import { openImageReader } from './services/open-image-reader.ts';
import { openReranker } from './services/open-reranker.ts';
import { openSandbox } from './services/open-sandbox.ts';
import { openWeb, type Web } from './services/open-web.ts';
import { shownSettings } from './services/shown-settings.ts';
import { toolsets } from './services/tool-catalogue.ts';
import { openEmbeddedChroma } from './store/chroma/embedded-chroma.ts';
import { createRemoteChroma } from './store/chroma/remote-chroma.ts';
import { openDataFolder } from './store/data-folder.ts';
import { analyse, analyseQuery } from './store/full-text/analyse.ts';
import type { IndexState } from './store/index-state.ts';
import { openCollections } from './store/sql/index-sync/open-collections.ts';
import { openStore } from './store/sql/open-store.ts';
import { createChunkSearch } from './store/sql/search/chunk-search.ts';
import type { VectorIndex } from './store/vector-index.ts';
import { type CorpusWatch, watchCorpus } from './store/watch-corpus.ts';
import type { Tool } from './toolbox/tool.ts';
import { openUserCache } from './user-cache.ts';
import { readVersion } from './version.ts';
import { webFacts } from './web/describe-web.ts';

/** Everything that lives longer than a request. */
export interface Services extends HttpServices {
  /** Every tool that can be called by name. */
  readonly tools: readonly Tool[];
  /** Tells of documents that come, change and go. */
  readonly changes: CorpusWatch;
  readonly web: Web;
  /** Learns an embedder from the corpus. */
  readonly learner: Learner;
  /** Present when Python can be run. */
  readonly sandbox?: Sandbox;
  /** Ends what was started, last first. What is in the middle of being ingested is resumed at the next start. */
  close(): Promise<void>;
}

export interface ServicesOptions {
  readonly log: Logger;
  /** Finish in the background what an earlier process left in the middle of being ingested. */
  readonly resumes?: boolean;
  /**
   * `claim` (the default) refuses to start when the corpus was embedded with another embedder than the settings name.
   * `keep` takes the corpus as it is: to look at it, or to embed it anew.
   */
  readonly embedder?: 'claim' | 'keep';
}

/**
 * Opens the data folder and everything over it: the one place that names adapters. The vector index starts in the
 * background; until it is ready, searches compare vectors exactly. Throws ServiceError with nothing left open.
 */
export async function createServices(config: Config, options: ServicesOptions): Promise<Services> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await open(config, options, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function open(config: Config, options: ServicesOptions, closers: (() => Promise<void>)[]): Promise<Services> {
  const { log } = options;
  const warn = (message: string, cause?: unknown) => log.warn({ err: cause }, message);
  const models = createModelRegistry({
    ...config,
    concurrency: config.modelStreams,
    extractive: createExtractiveModel(),
  });
  requireModels(config.models, models);

  const folder = await openDataFolder(config.dataDir);
  closers.push(folder.close);
  const cache = openUserCache(config.cacheDir);
  closers.push(async () => cache.close());
  if (cache.problem !== undefined) log.warn(cache.problem);
  const index = await openIndex(config, { chromaFolder: folder.chromaFolder, cacheFolder: cache.path }, log);
  closers.push(() => index.close());
  const { versionsKept } = config;
  const store = await openStore({ path: folder.databaseFile, index, embeddingText, versionsKept, report: warn });
  closers.push(store.close);

  const settings = { ...config, modelCacheDir: join(cache.path, 'models') };
  const preferred = config.embeddingModel ?? defaultEmbeddingName(config);
  const { spaces, learned, conversations, maintenance } = store;
  const watching = watchCorpus(store.corpus);
  const { changes, watched } = watching;
  const keep = options.embedder === 'keep';
  const embedder = await openEmbedder({ config, settings, preferred, spaces, learned, changes, keep, log });
  const { embeddings, learner } = embedder;
  closers.push(learner.close);
  const accounts = await createAccounts(config.access.accounts, {
    ...store,
    store: store.people,
    corpus: watching.corpus,
  });
  await ensureAdmins(config.access.admins, { ...accounts, collections: store.collections, warn });
  const collections = collectionsWithinQuota(store.collections, accounts.quotas);
  const chunks = createChunkSearch({
    search: store.sqlite.search,
    collections: openCollections(index),
    state: maintenance.state,
    onFailure: maintenance.reportFailure,
  });
  const prompts = await openPromptService(store.prompts);
  const hasModel = !models.defaultName('fast').startsWith('builtin/');
  const variants = hasModel ? modelQueryVariants(models.resolve(undefined, 'fast'), prompts) : undefined;
  const standalone = hasModel ? modelStandaloneQueries(models.resolve(undefined, 'fast'), prompts) : undefined;
  const asking = sharingQueries(embeddings);
  const corpus = withDescriptions(watching.corpus, { descriptions: store.descriptionSearch, embedder: asking });
  const retriever = withGraph({
    retriever: withOutlines(
      createRetriever({
        chunks,
        embedder: asking,
        variants,
        reranker: openReranker({ settings: config.reranker, models, prompts }),
      }),
      corpus,
    ),
    graph: store.graphSearch,
    passages: corpus,
    embedder: asking,
  });
  const graph = openGraph({ settings: config, store, models, embeddings, changes, prompts, warn });
  closers.push(graph.close);
  const { enrichment, summaries } = openEnrichment({
    config,
    store,
    corpus,
    models,
    prompts,
    embeddings,
    changes,
    warn,
  });
  closers.push(summaries.close);
  const feed = createIngestionFeed();
  const imageReader = openImageReader(config.images, { models, cacheFolder: cache.path });
  const ingestor = withinQuota(
    createIngestor({ corpus, spaces, collections, embeddings, queue: store.queue, feed, enrichment, imageReader }),
    accounts.quotas,
  );
  closers.push(ingestor.close);
  const ingestions = createIngestionService({
    queue: store.queue,
    ingestor,
    feed,
    report: warn,
    queuesByDefault: config.ingest === 'queue',
  });
  closers.push(ingestions.close);
  const analyser = { analyse, analyseQuery };
  const web = openWeb(config.web, analyser);
  closers.push(web.close);
  const sandbox = openSandbox(config.sandbox, cache.path, warn);
  if (sandbox !== undefined) closers.push(() => sandbox.close());
  const external = createExternalTools({ servers: config.externalServers, version: readVersion(), log });
  closers.push(external.close);
  const kept = createConversations(conversations);
  const agent = createAgent({
    models,
    retriever,
    library: corpus,
    conversations: kept,
    tools: [...ragTools, ...researchTools],
    toolNames: { rag: ragToolNames, research: researchToolNames },
    web,
    sandbox,
    met: new Set([
      'web_pages',
      ...(web.webSearch === undefined ? [] : (['web_search'] as const)),
      ...(sandbox === undefined ? [] : (['sandbox'] as const)),
    ]),
    external,
    analyser,
    prices: { ...listPrices, ...config.prices },
    policy: {
      codeAfterUntrusted: config.afterUntrusted.includes('code'),
      newAddressesAfterUntrusted: config.afterUntrusted.includes('addresses'),
      actionsAfterUntrusted: config.afterUntrusted.includes('actions'),
    },
    window: config.contextTokens,
    prompts,
  });
  const runs = new RunLog({ ...defaultRunLogSettings, grace: config.resumeSeconds * 1000 });
  closers.push(() => runs.close());
  if (options.resumes) {
    ingestions.wakeUp();
    graph.extraction.start();
    summaries.start();
    learner.start();
  }

  return {
    tools: [...new Set(Object.values(toolsets).flat())],
    changes,
    corpus,
    versions: watched(store.versions),
    summaries,
    descriptions: store.descriptions,
    collections,
    graph,
    prompts,
    indices: { list: () => spaces.list(), state: maintenance.state, audit: () => maintenance.audit() },
    settings: () => shownSettings(config, { models, embedder: embeddings.name }),
    conversations: kept,
    accounts,
    agent,
    runs,
    ingestor,
    ingestions,
    sources: store.sources,
    retriever,
    web,
    ...(sandbox && { sandbox }),
    checker: createAnswerChecker({ retriever, library: corpus, analyser }),
    answerer: createAnswerer({ retriever, models, analyser, standalone, webSearch: web.webSearch, prompts }),
    models,
    embeddings,
    log,
    limits: { ...defaultHttpLimits, request: config.requestSeconds * 1000 },
    trustedProxies: config.trustedProxies,

    reindex: embedder.reindex,
    learner,

    async status(): Promise<ServiceStatus> {
      const model = models.defaultName('quality');
      const { kind } = maintenance.state();
      const isSilent = kind === 'in_step' && !(await index.isHealthy());
      // Looks closer, and waits for it to come back.
      if (isSilent) void maintenance.audit().catch(() => undefined);
      const state = isSilent ? 'unavailable' : indexStates[kind];
      const embeddingModelSetting = config.embeddingModel;
      const { waiting, failed } = await store.documentGraphs.backlog();
      const written = await summaries.backlog();
      return {
        version: readVersion(),
        model,
        embedder: embeddings.name,
        embedderReason: await embedder.reason(),
        web: webFacts(config.web),
        data: folder.path,
        index: { kind: config.chroma ? 'remote' : 'embedded', state },
        graph: { waiting, failed },
        summaries: written,
        hints: [
          ...hintsFor({
            model,
            modelSetting: config.models.quality,
            providers: configuredProviders(config),
            embedder: embeddings,
            preferredEmbedder: preferred,
            embeddingModelSetting,
            indexProblem: state === 'unavailable' ? remoteIndexProblem(config.chroma) : undefined,
          }),
          ...external.problems(),
          ...[store.sqlite.problem()].filter((problem) => problem !== undefined),
        ],
      };
    },

    close: () => closeAll(closers),
  };
}

const indexStates = {
  in_step: 'ready',
  checking: 'checking',
  rebuilding: 'rebuilding',
  down: 'unavailable',
} as const satisfies Record<IndexState['kind'], ServiceStatus['index']['state']>;

function configuredProviders({ openai, anthropic, ollama, providers }: Config): string[] {
  return [
    ...(openai.apiKey === undefined && openai.baseUrl === undefined ? [] : ['openai']),
    ...(anthropic.apiKey === undefined ? [] : ['anthropic']),
    ...(ollama.baseUrl === undefined ? [] : ['ollama']),
    ...providers.map(({ name }) => name),
  ];
}

const remoteIndexProblem = (chroma: Config['chroma']): string | undefined =>
  chroma &&
  `The Chroma of CHROMA_URL (${chroma.url}) does not answer: searches compare the stored vectors one by one. ` +
    '"citewell doctor" says what is wrong.';

interface IndexFolders {
  readonly chromaFolder: string;
  readonly cacheFolder: string;
}

async function openIndex({ chroma }: Config, folders: IndexFolders, log: Logger): Promise<VectorIndex> {
  if (chroma !== undefined) return createRemoteChroma({ ...chroma, log });
  return openEmbeddedChroma({ folder: folders.chromaFolder, cacheFolder: folders.cacheFolder, log });
}

/** All are closed, the last opened first, even when one of them fails. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  let failure: unknown;
  for (const close of closers.splice(0).reverse()) {
    await close().catch((error: unknown) => {
      failure ??= error;
    });
  }
  if (failure !== undefined) throw failure;
}
