import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isUuid } from '../documents/ids.ts';
import type { FinishProgress } from '../http/routes/finish.ts';
import { extractionRecord } from '../http/wire/extraction-record.ts';
import { statusFromWire } from './from-wire.ts';
import type { ServerCalls } from './server-calls.ts';

const hit = z.object({
  id: z.string(),
  result_type: z.enum(['entity', 'relationship', 'community']),
  score: z.number().nullable(),
  chunk_ids: z.array(z.string()).nullable(),
  content: z.record(z.string(), z.json()),
  metadata: z.looseObject({
    documents: z.array(z.object({ document_id: z.string(), title: z.string() })).default([]),
  }),
});
/** docs/contract.md 4.5. */
export type GraphHitRecord = z.output<typeof hit>;

const view = z.object({
  nodes: z.array(z.looseObject({ id: z.string(), label: z.string(), mentions: z.number() })),
  edges: z.array(z.looseObject({ source: z.string(), target: z.string(), label: z.string(), weight: z.number() })),
  communities: z.array(z.looseObject({ id: z.string(), label: z.string(), size: z.number() })),
  total_nodes: z.number(),
  total_edges: z.number(),
});
export type GraphViewRecord = z.output<typeof view>;

export type GraphEstimateRecord = Readonly<NonNullable<z.output<typeof extractionRecord>['estimate']>>;

/** Graph operations for commands. A collection is given by id or name. */
export interface GraphClient {
  find(query: string, limit: number, signal: AbortSignal): Promise<readonly GraphHitRecord[]>;
  view(collection: string, limit: number): Promise<GraphViewRecord>;
  /** Gathers the rows of the collection's documents and finds communities. */
  build(
    collection: string,
    options: {
      readonly model: string | undefined;
      readonly signal: AbortSignal;
      /** Called after each document. */
      readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
    },
  ): Promise<{ readonly documents: number; readonly communities: number }>;
  estimate(collection: string, model: string | undefined): Promise<GraphEstimateRecord>;
  /** Queues all documents of the collection for extraction; returns their number. */
  extract(collection: string, model: string | undefined): Promise<number>;
  /** Ends when no extraction is waiting. */
  finish(signal: AbortSignal): AsyncGenerator<FinishProgress, void>;
}

const onlyGraph = (query: string, limit: number) => ({
  query,
  search_settings: { limit, chunk_settings: { enabled: false } },
});

const POLL_MS = 500;

export function httpGraph({ call, stream, finish }: ServerCalls): GraphClient {
  const idOf = async (collection: string): Promise<string> => {
    if (isUuid(collection)) return collection;
    const { results } = await call('GET', `/collections/name/${encodeURIComponent(collection)}`);
    return (results as { readonly id: string }).id;
  };
  const work = (model: string | undefined) => (model === undefined ? {} : { model });
  return {
    async find(query, limit, signal) {
      const { results } = await call('POST', '/retrieval/search', { body: onlyGraph(query, limit), signal });
      return z.array(hit).parse((results as { readonly graph_search_results: unknown }).graph_search_results);
    },
    async view(collection, limit) {
      return view.parse((await call('GET', `/graphs/${await idOf(collection)}/view?limit=${limit}`)).results);
    },
    async build(collection, { model, signal, onProgress }) {
      const path = `/graphs/${await idOf(collection)}`;
      let pulled = { documents: 0 };
      for await (const { event, data } of stream(`${path}/pull`, { stream: true }, signal)) {
        if (event === 'progress') onProgress(data as { done: number; total: number });
        if (event === 'pulled') pulled = data as { documents: number };
      }
      const built = await call('POST', `${path}/communities/build`, { body: work(model), signal });
      return { documents: pulled.documents, communities: (built.results as { communities: number }).communities };
    },
    async estimate(collection, model) {
      const body = { ...work(model), run_type: 'estimate' };
      const { results } = await call('POST', `/collections/${await idOf(collection)}/extract`, { body });
      return extractionRecord.required({ estimate: true }).parse(results).estimate;
    },
    async extract(collection, model) {
      const { results } = await call('POST', `/collections/${await idOf(collection)}/extract`, { body: work(model) });
      return (results as { readonly documents: number }).documents;
    },
    async *finish(signal) {
      const steps = finish('graph', signal);
      for (;;) {
        const step = await steps.next();
        if (!step.done) yield step.value.data;
        else if (step.value) return;
        else break;
      }
      let max = 0;
      for (;;) {
        const { results } = await call('GET', '/system/status', { signal });
        const { waiting, failed } = statusFromWire((results as { citewell: unknown }).citewell).graph ?? {
          waiting: 0,
          failed: 0,
        };
        max = Math.max(max, waiting);
        if (waiting === 0) return;
        yield { done: max - waiting, total: max, failed };
        await sleep(POLL_MS, undefined, { signal });
      }
    },
  };
}
