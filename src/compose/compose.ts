import { ragToolNames, ragTools, researchToolNames, researchTools } from '../../tools/index.ts';
import { createAccounts } from '../access/accounts.ts';
import { collectionsWithinQuota } from '../access/collections-within-quota.ts';
import { ensureAdmins } from '../access/ensure-admins.ts';
import { createAgent } from '../agent/create-agent.ts';
import { createConversations } from '../conversations/conversations.ts';
import { createCorpusEmbedder } from '../embeddings/corpus/corpus-embedder.ts';
import { embedNames } from '../graph/embed-names.ts';
import { createGraphService } from '../graph/graph-service.ts';
import { withGraph } from '../graph/search-graph.ts';
import { createEnrichment } from '../ingest/enrich/enrichment.ts';
import { createSummaryService } from '../ingest/enrich/summary-service.ts';
import { createIngestor } from '../ingest/ingest-document.ts';
import { createIngestionFeed } from '../ingest/ingestion-feed.ts';
import { createIngestionService } from '../ingest/ingestion-service.ts';
import { createSharedIngestionFeed } from '../ingest/shared-ingestion-feed.ts';
import { createSourceService } from '../ingest/sources/source-service.ts';
import { withinQuota } from '../ingest/within-quota.ts';
import { createPromptService } from '../prompts/prompt-service.ts';
import { createAnswerer } from '../rag/answer-question.ts';
import { createAnswerChecker } from '../rag/check-answer.ts';
import { createRetriever } from '../retrieval/create-retriever.ts';
import { embedDescriptions } from '../retrieval/embed-descriptions.ts';
import { createQueryEmbedder } from '../retrieval/embed-query.ts';
import { modelReranker } from '../retrieval/rerankers/model-reranker.ts';
import { modelQueryVariants } from '../retrieval/rewrite-query.ts';
import { withDescriptions } from '../retrieval/search-documents.ts';
import { modelStandaloneQueries } from '../retrieval/standalone-query.ts';
import { withOutlines } from '../retrieval/with-outlines.ts';
import { InProcessMadeFiles } from '../runs/in-process-made-files.ts';
import { InProcessRunLog } from '../runs/in-process-run-log.ts';
import { defaultRunLogSettings } from '../runs/run-log.ts';
import { SharedMadeFiles } from '../runs/shared-made-files.ts';
import { SharedRunLog } from '../runs/shared-run-log.ts';
import { watchCorpus } from '../store/watch-corpus.ts';
import {
  observedEmbedders,
  observedGraphSearch,
  observedModels,
  observedRetriever,
  observedSandbox,
} from '../telemetry/observed.ts';
import { tracedIngestor, tracedRetriever, tracedTools } from '../telemetry/traced.ts';
import type { ToolNeed } from '../toolbox/tool.ts';
import type { Adapters } from './adapters.ts';
import { closeAll } from './close-all.ts';
import { followOtherServers } from './follow-other-servers.ts';
import type { Product, Services } from './services.ts';
import { statusOf } from './status.ts';
import { toolsets } from './toolsets.ts';
import { tracedAdapters, tracedEmbeddings } from './traced-adapters.ts';

const productTools = {
  tools: [...ragTools, ...researchTools],
  toolNames: { rag: ragToolNames, research: researchToolNames },
};

/**
 * Wires the product over these adapters without any I/O; `start` begins the work. Closing the services also closes the
 * adapters.
 */
export function compose(given: Adapters): Product {
  const { traces } = given;
  const adapters = traces ? tracedAdapters(given, traces) : given;
  const { store, settings, analyser, web, external, deployment, log, metrics } = adapters;
  const models = metrics ? observedModels(adapters.models, settings.prices, metrics) : adapters.models;
  const sandbox = adapters.sandbox && metrics ? observedSandbox(adapters.sandbox, metrics) : adapters.sandbox;
  const report = (message: string, cause?: unknown) => log.warn({ err: cause }, message);
  const { corpus: watched, changes, watched: withChanges, changedElsewhere } = watchCorpus(store.corpus);
  const prompts = createPromptService(store.prompts);
  const embedder = createCorpusEmbedder({
    ...store,
    embedders: metrics ? observedEmbedders(adapters.embedders, settings.prices, metrics) : adapters.embedders,
    changes,
    log,
    ...(store.others && { isLeader: store.others.isLeader }),
  });
  const { learner } = embedder;
  const embeddings = traces ? tracedEmbeddings(embedder.embeddings, traces) : embedder.embeddings;
  const accounts = createAccounts(settings.accounts, {
    ...store,
    store: store.accounts,
    corpus: watched,
    stopFollowing: (userId) => followed.removeOfOwner(userId),
    async forgetRuns(userId) {
      await runs.removeOfOwner(userId);
      await madeFiles.removeOfOwner(userId);
    },
  });
  const collections = collectionsWithinQuota(store.collections, accounts.quotas);

  const embedQuery = createQueryEmbedder(embeddings);
  const corpus = withDescriptions(watched, { descriptions: store.descriptionSearch, embedder: embeddings, embedQuery });
  const fast = models.defaultName('fast').startsWith('builtin/') ? undefined : models.resolve(undefined, 'fast');
  const { reranker } = adapters;
  const searched = withGraph({
    retriever: withOutlines(
      createRetriever({
        chunks: store.chunks,
        embedder: embeddings,
        embedQuery,
        variants: fast && modelQueryVariants(fast, prompts),
        reranker:
          reranker && 'model' in reranker ? modelReranker(models.resolve(reranker.model, 'fast'), prompts) : reranker,
      }),
      corpus,
    ),
    graph: metrics ? observedGraphSearch(store.graphSearch, metrics) : store.graphSearch,
    chunks: corpus,
    embedder: embeddings,
    embedQuery,
  });

  const counted = metrics ? observedRetriever(searched, metrics) : searched;
  const retriever = traces ? tracedRetriever(counted, traces) : counted;

  const graph = createGraphService({
    records: store.graphs,
    documents: store.documentGraphs,
    collections: store.collections,
    thread: adapters.graphThread,
    models,
    prompts,
    prices: settings.prices,
    changes,
    settings: settings.graph,
    // If it fails, names are found by full text, and the next change triggers a retry.
    onIdle: whenIdle(
      (signal) => embedNames(store.graphNames, embeddings, signal),
      'The names of the graph could not be embedded.',
    ),
    report,
  });
  const summaries = createSummaryService({
    records: store.summaries,
    corpus,
    models,
    prompts,
    changes,
    // If it fails, documents are found by full text, and the next change triggers a retry.
    onIdle: whenIdle(
      (signal) => embedDescriptions(store.descriptions, embeddings, signal),
      'The document descriptions could not be embedded.',
    ),
    report,
  });

  function whenIdle(work: (signal: AbortSignal) => Promise<unknown>, failure: string) {
    return async (signal: AbortSignal) => {
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted) report(failure, error);
      }
    };
  }

  const { sharedState } = store;
  const feed = sharedState ? createSharedIngestionFeed(sharedState.ingestions, report) : createIngestionFeed();
  const enrichment = createEnrichment({
    models,
    contexts: store.contexts,
    templateOf: (name) => prompts.get(name).template,
    prices: settings.prices,
    writesSummaries: settings.writesSummaries,
  });
  const { readers } = adapters;
  const withQuotas = withinQuota(
    createIngestor({ ...store, corpus, readers, collections, embeddings, feed, enrichment }),
    accounts.quotas,
  );
  const ingestor = traces ? tracedIngestor(withQuotas, traces) : withQuotas;
  const { takesTasks } = settings;
  const queuesByDefault = settings.queuesUploads || !takesTasks;
  const ingestions = createIngestionService({
    queue: store.queue,
    ingestor,
    feed,
    report,
    queuesByDefault,
    takesTasks,
  });

  const followed = createSourceService({
    corpus,
    ingestor,
    collections,
    sources: store.sources,
    records: store.followed,
    others: store.others,
    web: web?.sites,
    network: web?.network,
    mcp: adapters.mcpResources,
    secrets: adapters.secrets,
    users: store.accounts.users,
    allowedFolders: settings.allowedFolders,
    dataFolder: deployment.data,
    report,
    maxFileBytes: readers.maxFileBytes,
  });

  const conversations = createConversations(store.conversations);
  const needs: ToolNeed[] = [];
  if (web !== undefined) needs.push('web_pages');
  if (web?.webSearch !== undefined) needs.push('web_search');
  if (sandbox !== undefined) needs.push('sandbox');
  const madeFiles = sharedState ? new SharedMadeFiles(sharedState.files, report) : new InProcessMadeFiles();
  const traceTool = traces && tracedTools(traces);
  const agent = createAgent({
    models,
    retriever,
    library: corpus,
    conversations,
    ...(adapters.tools ?? productTools),
    ...(web && { web }),
    sandbox,
    traceTool,
    metNeeds: new Set(needs),
    external,
    madeFiles,
    analyser,
    prices: settings.prices,
    policy: settings.policy,
    window: settings.contextTokens,
    prompts,
  });
  const runSettings = { ...defaultRunLogSettings, graceMs: settings.graceMs };
  const runs = sharedState ? new SharedRunLog(sharedState.runs, runSettings, report) : new InProcessRunLog(runSettings);
  const standaloneQueries = fast && modelStandaloneQueries(fast, prompts);

  const services: Services = {
    tools: [...new Set(Object.values(toolsets).flat())],
    changes,
    corpus,
    versions: withChanges(store.versions),
    summaries,
    descriptions: store.descriptions,
    collections,
    graph,
    prompts,
    spaces: store.spaces,
    ...(adapters.backups && { backups: adapters.backups }),
    maintenance: store.maintenance,
    settings: () => deployment.settings({ models, embedder: embeddings }),
    conversations,
    accounts,
    agent,
    runs,
    madeFiles,
    ingestor,
    ingestions,
    queue: store.queue,
    sources: store.sources,
    followed,
    retriever,
    ...(web && { web }),
    ...(sandbox && { sandbox }),
    sharedCitations: sharedState?.citations,
    checker: createAnswerChecker({ retriever, library: corpus, analyser }),
    answerer: createAnswerer({
      retriever,
      models,
      analyser,
      standaloneQueries: standaloneQueries,
      webSearch: web?.webSearch,
      prompts,
    }),
    models,
    modelChoices: async () =>
      (await deployment.modelChoices?.()) ?? { providers: [], looksForModels: false, found: [], embedders: [] },
    embeddings,
    log,
    ...(metrics && { metrics, opensMetrics: settings.opensMetrics }),
    ...(traces && { traces, traceTool }),
    limits: settings.limits,
    maxFileBytes: readers.maxFileBytes,
    uploadFolder: settings.uploadFolder,
    trustedProxies: settings.trustedProxies,
    reindex: embedder.reindex,
    learner,
    status: () => statusOf({ ...adapters, embedder, summaries }),
    async release() {
      // Closed concurrently, so that a slow one does not delay the others.
      await Promise.allSettled([
        store.others?.resign(),
        learner.close(),
        graph.extraction.close(),
        summaries.close(),
        ingestions.close(),
        followed.close(),
      ]);
      // Makes other servers look for graphs and summaries that are still to be made.
      await store.others?.announce({ topic: 'documents', kind: 'changed' }).catch(() => undefined);
    },
    close: () =>
      closeAll([
        () => adapters.close(),
        learner.close,
        graph.close,
        summaries.close,
        feed.close,
        ingestions.close,
        followed.close,
        () => runs.close(),
        () => madeFiles.close(),
      ]),
  };

  return {
    async start({ resumes = false, embedder: how = 'claim' } = {}) {
      try {
        await embedder.open({ keep: how === 'keep' });
        await ensureAdmins(settings.admins, { ...accounts, collections: store.collections, warn: report });
        await prompts.load();
      } catch (error) {
        await services.close();
        throw error;
      }
      const { others } = store;
      const runsInBackground = resumes && takesTasks;
      // A process without background work, such as a long command, must not hold the leadership.
      if (!runsInBackground) await others?.resign();
      if (runsInBackground) {
        ingestions.wakeUp();
        graph.extraction.start();
        summaries.start();
        learner.start();
      }
      if (others === undefined) {
        if (runsInBackground) followed.start();
      } else {
        followOtherServers({
          others,
          changedElsewhere,
          ingestions,
          followed,
          resumes: runsInBackground,
          report,
          loadPrompts: prompts.load,
          followEmbedder: embedder.follow,
        });
      }
      return services;
    },
  };
}
