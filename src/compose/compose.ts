import { createAccounts } from '../access/accounts.ts';
import { collectionsWithinQuota } from '../access/collections-within-quota.ts';
import { createConversations } from '../conversations/conversations.ts';
import { createCorpusEmbedder } from '../embeddings/corpus/corpus-embedder.ts';
import { createPromptService } from '../prompts/prompt-service.ts';
import { createAnswerer } from '../rag/answer-question.ts';
import { createAnswerChecker } from '../rag/check-answer.ts';
import { modelStandaloneQueries } from '../retrieval/standalone-query.ts';
import { watchCorpus } from '../store/watch-corpus.ts';
import { tracedTools } from '../telemetry/traced.ts';
import type { Adapters } from './adapters.ts';
import { closeAll } from './close-all.ts';
import { composeAgent } from './compose-agent.ts';
import { composeBackgroundWork } from './compose-background-work.ts';
import { composeIngestion } from './compose-ingestion.ts';
import { composeSearch } from './compose-search.ts';
import { instrumentAdapters } from './instrument-adapters.ts';
import type { Product, Services } from './services.ts';
import { startServices } from './start-services.ts';
import { statusOf } from './status.ts';
import { toolsets } from './toolsets.ts';
import { tracedEmbeddings } from './traced-adapters.ts';

/**
 * Wires the product over these adapters without any I/O; `start` begins the work. Closing the services also closes the
 * adapters.
 */
export function compose(given: Adapters): Product {
  const adapters = instrumentAdapters(given);
  const { store, models, settings, analyser, web, sandbox, deployment, log, metrics, traces } = adapters;
  const report = (message: string, cause?: unknown) => log.warn({ err: cause }, message);
  const { corpus: watched, changes, watched: withChanges, changedElsewhere } = watchCorpus(store.corpus);
  const prompts = createPromptService(store.prompts);
  const embedder = createCorpusEmbedder({
    ...store,
    embedders: adapters.embedders,
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
  const { quotas } = accounts;
  const collections = collectionsWithinQuota(store.collections, quotas);
  const conversations = createConversations(store.conversations);

  const fast = models.defaultName('fast').startsWith('builtin/') ? undefined : models.resolve(undefined, 'fast');
  const { corpus, retriever } = composeSearch({ adapters, corpus: watched, embeddings, prompts, fast, report });
  const { graph, summaries } = composeBackgroundWork({ adapters, changes, embeddings, prompts, report });
  const { feed, ingestor, ingestions, followed } = composeIngestion({
    adapters,
    corpus,
    collections,
    quotas,
    embeddings,
    prompts,
    report,
  });
  const traceTool = traces && tracedTools(traces);
  const { agent, runs, madeFiles } = composeAgent({
    adapters,
    corpus,
    retriever,
    conversations,
    prompts,
    traceTool,
    report,
  });

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
    sharedCitations: store.sharedState?.citations,
    checker: createAnswerChecker({ retriever, library: corpus, analyser }),
    answerer: createAnswerer({
      retriever,
      models,
      analyser,
      standaloneQueries: fast && modelStandaloneQueries(fast, prompts),
      webSearch: web?.webSearch,
      window: settings.contextTokens,
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
    maxFileBytes: adapters.readers.maxFileBytes,
    uploadFolder: settings.uploadFolder,
    trustedProxies: settings.trustedProxies,
    reindex: embedder.reindex,
    learner,
    status: (options) => statusOf({ ...adapters, embedder, summaries }, options),
    async preload() {
      try {
        // First, because this thread remains free for requests meanwhile, which loading code blocks.
        await store.chunks.prepare?.();
      } finally {
        await embeddings.preload?.();
      }
    },
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
    async start(options = {}) {
      const loadPrompts = prompts.load;
      await startServices({ adapters, services, embedder, loadPrompts, changedElsewhere, report }, options);
      return services;
    },
  };
}
