import { ensureAdmins } from '../access/ensure-admins.ts';
import type { CorpusEmbedder } from '../embeddings/corpus/corpus-embedder.ts';
import type { WatchedCorpus } from '../store/watch-corpus.ts';
import type { Adapters } from './adapters.ts';
import { followOtherServers } from './follow-other-servers.ts';
import type { Services, StartOptions } from './services.ts';

interface StartParts {
  readonly adapters: Pick<Adapters, 'store' | 'settings'>;
  readonly services: Services;
  readonly embedder: CorpusEmbedder;
  readonly loadPrompts: () => Promise<void>;
  readonly changedElsewhere: WatchedCorpus['changedElsewhere'];
  readonly report: (message: string, cause?: unknown) => void;
}

/** Prepares the store for the services and starts the background work. On failure, closes the services. */
export async function startServices(
  { adapters, services, embedder, loadPrompts, changedElsewhere, report }: StartParts,
  { resumes = false, embedder: embedderMode = 'claim' }: StartOptions,
): Promise<void> {
  const { store, settings } = adapters;
  const { others } = store;
  const { accounts, ingestions, graph, summaries, learner, followed } = services;
  const runsInBackground = resumes && settings.takesTasks;
  try {
    await embedder.open({ keep: embedderMode === 'keep' });
    await ensureAdmins(settings.admins, { ...accounts, collections: store.collections, warn: report });
    await loadPrompts();
    // A process without background work, such as a long command, must not hold the leadership.
    if (!runsInBackground) await others?.resign();
  } catch (error) {
    await services.close();
    throw error;
  }
  if (runsInBackground) {
    ingestions.wakeUp();
    graph.extraction.start();
    summaries?.start();
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
      loadPrompts,
      followEmbedder: embedder.follow,
    });
  }
}
