import { Router } from 'express';
import type { Authenticate } from '../../access/credentials.ts';
import type { ReindexProgress } from '../../store/vector-spaces.ts';
import { identify } from '../authenticate.ts';
import type { HttpServices } from '../http-services.ts';
import { requestSignal } from '../request-signal.ts';
import { type ServerSentEvent, sendEvents, streamOptions } from '../sse.ts';

/** Progress of background work, reported after each item. */
export interface FinishProgress extends ReindexProgress {
  readonly failed: number;
}

type Services = Pick<HttpServices, 'graph' | 'summaries' | 'ingestions' | 'corpus' | 'limits' | 'log'> & {
  /** Learns an embedder (LSA) from the corpus. */
  readonly learner: {
    decide(): Promise<{ readonly isDue: boolean }>;
    trainIfDue(signal: AbortSignal): AsyncGenerator<ReindexProgress, void>;
  };
};

/** Work that a long-running server does in the background without being asked. */
export type BackgroundWork = 'queue' | 'graph' | 'summaries' | 'learning';

/** Training on up to this many chunks takes seconds; for more, only a long-running server trains. */
const MAX_CHUNKS_LEARNED = 20_000;

/** Background work that a command which holds the data folder runs to completion on request. */
export function finishRoutes(services: Services, authenticate: Authenticate): Router {
  const { graph, summaries, learner, ingestions, corpus, limits, log } = services;

  const work: Readonly<Record<BackgroundWork, (signal: AbortSignal) => AsyncGenerator<ServerSentEvent, void>>> = {
    async *queue() {
      ingestions.wakeUp();
      yield { event: 'begun', data: {} };
    },
    graph: (signal) => counted(graph.extraction.run(signal)),
    summaries: (signal) => counted(summaries?.run(signal) ?? []),
    async *learning(signal) {
      if (!(await learner.decide()).isDue) return;
      if ((await corpus.stats()).chunks > MAX_CHUNKS_LEARNED) yield { event: 'left', data: {} };
      else for await (const data of learner.trainIfDue(signal)) yield { event: 'progress', data };
    },
  };
  const router = Router().use(identify(authenticate));
  for (const [name, run] of Object.entries(work)) {
    router.post(`/${name}`, async (request, response) => {
      const signal = requestSignal(request, response);
      await sendEvents(response, run(signal), streamOptions(response, signal, { limits, log }));
    });
  }
  return router;
}

async function* counted(
  steps: AsyncIterable<{ readonly done: number; readonly total: number; readonly outcome: string }> | readonly never[],
): AsyncGenerator<ServerSentEvent, void> {
  let failed = 0;
  for await (const { done, total, outcome } of steps) {
    if (outcome === 'failed') failed++;
    yield { event: 'progress', data: { done, total, failed } };
  }
}
