import { lazyResult } from '../shared/lazy-result.ts';
import type { Metrics } from './metrics.ts';

/** Long enough for the first answers of a start, short enough that few observations wait. */
const LOAD_AFTER_MS = 3_000;
/** Observations kept for a library that is late, or cannot be loaded; later ones are not counted. */
const MAX_WAITING = 10_000;

/**
 * Metrics whose library is loaded a few seconds after the start or when they are first read, whichever comes first, so
 * that it does not delay the first answer. Observations made before are kept and passed on in their order.
 */
export function deferredMetrics(load: () => Promise<Metrics>, afterMs = LOAD_AFTER_MS): Metrics {
  let loaded: Metrics | undefined;
  let waiting: ((metrics: Metrics) => void)[] = [];
  const ready = lazyResult(async () => {
    const metrics = await load();
    for (const passOn of waiting) passOn(metrics);
    waiting = [];
    loaded = metrics;
    return metrics;
  });
  // A failure is reported to whoever reads the metrics.
  setTimeout(() => void ready().catch(() => {}), afterMs).unref();

  const record = (observe: (metrics: Metrics) => void): void => {
    if (loaded !== undefined) observe(loaded);
    else if (waiting.length < MAX_WAITING) waiting.push(observe);
  };
  return {
    request: (facts) => record((metrics) => metrics.request(facts)),
    search: (facts) => record((metrics) => metrics.search(facts)),
    searchLeg: (facts) => record((metrics) => metrics.searchLeg(facts)),
    modelCall: (facts) => record((metrics) => metrics.modelCall(facts)),
    embedding: (facts) => record((metrics) => metrics.embedding(facts)),
    sandboxRun: (facts) => record((metrics) => metrics.sandboxRun(facts)),
    watchSandbox: (occupancy) => record((metrics) => metrics.watchSandbox(occupancy)),
    render: async (now) => (await ready()).render(now),
  };
}
