import type { Embedders } from '../embeddings/embedders.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import type { Model, ModelEvent, ModelRegistry, ModelRequest } from '../models/model.ts';
import { costOf, type PriceTable, priceOf } from '../models/prices.ts';
import type { Retriever, SearchOutcome } from '../retrieval/retriever.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { GraphSearch } from '../store/graph-search.ts';
import type { Metrics } from './metrics.ts';

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** Counts searches by their outcome, with the time of each leg that ran. */
export function observedRetriever(retriever: Retriever, metrics: Metrics): Retriever {
  return {
    async search(query, settings, signal) {
      let found: SearchOutcome;
      try {
        found = await retriever.search(query, settings, signal);
      } catch (error) {
        // The kind is chosen during the search, unless the request names one.
        const outcome = signal.aborted ? 'cancelled' : outcomeOf(error);
        metrics.search({ kind: settings.kind ?? 'default', outcome, legs: {} });
        throw error;
      }
      const { kind, milliseconds } = found.explanation;
      // The graph leg is measured separately, without the embedder it waits for.
      const ran = Object.entries(milliseconds).filter(([leg, spent]) => spent > 0 && leg !== 'graph');
      metrics.search({ kind, outcome: 'ok', legs: Object.fromEntries(ran.map(([leg, spent]) => [leg, spent / 1000])) });
      return found;
    },
  };
}

/** Errors that the caller can correct. They are no reason to look after the service. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'invalid_field', 'forbidden', 'not_found']);

function outcomeOf(error: unknown): 'refused' | 'cancelled' | 'failed' {
  if (!(error instanceof ServiceError)) return 'failed';
  if (error.code === 'cancelled') return 'cancelled';
  return REFUSALS.has(error.code) ? 'refused' : 'failed';
}

/** Measures graph searches as a leg of the searches they belong to. */
export const observedGraphSearch = (graph: GraphSearch, metrics: Metrics): GraphSearch => ({
  async search(query) {
    const start = performance.now();
    try {
      return await graph.search(query);
    } finally {
      metrics.searchLeg({ leg: 'graph', seconds: secondsSince(start) });
    }
  },
});

/** Counts the calls, tokens and cost of every model. */
export function observedModels(models: ModelRegistry, prices: PriceTable, metrics: Metrics): ModelRegistry {
  // One object for each model, as in the registry: callers compare them.
  const observed = new WeakMap<Model, Model>();
  return {
    defaultName: (slot) => models.defaultName(slot),
    resolve(name, slot) {
      const model = models.resolve(name, slot);
      const known = observed.get(model) ?? { ...model, stream: (request: ModelRequest) => counted(model, request) };
      observed.set(model, known);
      return known;
    },
  };

  async function* counted(model: Model, request: ModelRequest): AsyncGenerator<ModelEvent, void> {
    const start = performance.now();
    let stop: (ModelEvent & { type: 'stop' }) | undefined;
    let outcome: 'ok' | 'failed' | 'cancelled' = 'cancelled';
    try {
      for await (const event of model.stream(request)) {
        if (event.type === 'stop') stop = event;
        yield event;
      }
      outcome = 'ok';
    } catch (error) {
      outcome = error instanceof ServiceError && error.code === 'cancelled' ? 'cancelled' : 'failed';
      throw error;
    } finally {
      const name = stop?.model ?? model.name;
      const price = stop && priceOf(name, prices);
      metrics.modelCall({
        model: name,
        outcome: stop === undefined ? outcome : 'ok',
        seconds: secondsSince(start),
        ...(stop && { usage: stop.usage, dollars: price && costOf(stop.usage, price) }),
      });
    }
  }
}

/** Counts the tokens and cost of every embedding model that reports its tokens. */
export const observedEmbedders = (embedders: Embedders, prices: PriceTable, metrics: Metrics): Embedders => ({
  ...embedders,
  create(name) {
    const model = embedders.create(name);
    // The vector length, as in `openai/text-embedding-3-small@256`, does not affect the price.
    const price = priceOf(model.name.replace(/@\d+$/, ''), prices);
    const count = (tokens: number) => {
      const usage = { input: tokens, cachedInput: 0, output: 0, reasoning: 0 };
      metrics.embedding({ model: model.name, tokens, dollars: price && costOf(usage, price) });
    };
    return {
      ...model,
      embed(texts, kind, signal, options) {
        const onTokens = (tokens: number) => {
          count(tokens);
          options?.onTokens?.(tokens);
        };
        return model.embed(texts, kind, signal, { ...options, onTokens });
      },
    };
  },
});

/** Counts runs of Python code, and reports the occupancy of the sandbox. */
export function observedSandbox(sandbox: Sandbox, metrics: Metrics): Sandbox {
  const { occupancy } = sandbox;
  if (occupancy !== undefined) metrics.watchSandbox(occupancy);
  return {
    limits: sandbox.limits,
    close: () => sandbox.close(),
    async run(request, signal) {
      const start = performance.now();
      let outcome: 'ok' | 'failed' = 'failed';
      try {
        const result = await sandbox.run(request, signal);
        outcome = 'ok';
        return result;
      } finally {
        metrics.sandboxRun({ outcome, seconds: secondsSince(start) });
      }
    },
  };
}
