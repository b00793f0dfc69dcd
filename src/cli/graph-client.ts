import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Principal } from '../access/principal.ts';
import { createSharedCollections } from '../access/shared-collections.ts';
import { visibleFilter } from '../access/visible-filter.ts';
import { allOf, type Filter } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { toGraphHit } from '../http/wire/graph-hit.ts';
import { toGraphView } from '../http/wire/graph-record.ts';
import { searchRequest } from '../http/wire/search-request.ts';
import type { Services } from '../services.ts';

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
/** r2r-v3.md 4.5. */
export type GraphHitRecord = z.output<typeof hit>;

const view = z.object({
  nodes: z.array(z.looseObject({ id: z.string(), label: z.string(), mentions: z.number() })),
  edges: z.array(z.looseObject({ source: z.string(), target: z.string(), label: z.string(), weight: z.number() })),
  communities: z.array(z.looseObject({ id: z.string(), label: z.string(), size: z.number() })),
  total_nodes: z.number(),
  total_edges: z.number(),
});
export type GraphViewRecord = z.output<typeof view>;

const estimate = z.object({
  model: z.string(),
  documents: z.number(),
  chunks: z.number(),
  calls: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.number().nullable(),
});
export type GraphEstimateRecord = z.output<typeof estimate>;

export interface ExtractionProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

/** The graph as commands see it. A collection is named by its identifier or its name. */
export interface GraphClient {
  find(query: string, limit: number, signal: AbortSignal): Promise<readonly GraphHitRecord[]>;
  view(collection: string, limit: number): Promise<GraphViewRecord>;
  /** Gathers what the collection's documents say, and groups it. */
  build(
    collection: string,
    model: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly documents: number; readonly communities: number }>;
  estimate(collection: string, model: string | undefined): Promise<GraphEstimateRecord>;
  /** Has all documents of the collection extracted anew; how many those are. */
  extract(collection: string, model: string | undefined): Promise<number>;
  /** Ends when nothing waits to be extracted. In process it does the work, a server does it by itself. */
  finish(signal: AbortSignal): AsyncGenerator<ExtractionProgress, void>;
}

const onlyGraph = (query: string, limit: number) => ({
  query,
  search_settings: { limit, chunk_settings: { enabled: false } },
});

type Call = (
  method: 'GET' | 'POST',
  path: string,
  options?: { readonly body?: unknown; readonly signal?: AbortSignal },
) => Promise<{ readonly results: unknown }>;

const POLL_MS = 500;

export function httpGraph(call: Call): GraphClient {
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
    async build(collection, model, signal) {
      const path = `/graphs/${await idOf(collection)}`;
      const pulled = (await call('POST', `${path}/pull`, { body: {}, signal })).results as { documents: number };
      const built = await call('POST', `${path}/communities/build`, { body: work(model), signal });
      return { documents: pulled.documents, communities: (built.results as { communities: number }).communities };
    },
    async estimate(collection, model) {
      const body = { ...work(model), run_type: 'estimate' };
      const { results } = await call('POST', `/collections/${await idOf(collection)}/extract`, { body });
      return estimate.parse((results as { readonly estimate: unknown }).estimate);
    },
    async extract(collection, model) {
      const { results } = await call('POST', `/collections/${await idOf(collection)}/extract`, { body: work(model) });
      return (results as { readonly documents: number }).documents;
    },
    async *finish(signal) {
      let most = 0;
      for (;;) {
        const { results } = await call('GET', '/system/status', { signal });
        const { citewell } = results as { readonly citewell: { readonly graph?: Backlog } };
        const { waiting = 0, failed = 0 } = citewell.graph ?? {};
        most = Math.max(most, waiting);
        if (waiting === 0) return;
        yield { done: most - waiting, total: most, failed };
        await sleep(POLL_MS, undefined, { signal });
      }
    },
  };
}

interface Backlog {
  readonly waiting: number;
  readonly failed: number;
}

export function inProcessGraph(services: Services, principal: Principal): GraphClient {
  const { graph, retriever } = services;
  const shared = createSharedCollections(services);
  const found = (collection: string) =>
    isUuid(collection) ? shared.get(principal, collection) : shared.findByName(principal, collection);
  const documentsOf = async (collection: string): Promise<string[]> => {
    const { id } = await found(collection);
    const inIt: Filter = { kind: 'overlap', field: 'collection_ids', values: [id] };
    const ids: string[] = [];
    for (let offset = 0; ; offset += DOCUMENTS_AT_ONCE) {
      const page = { offset, limit: DOCUMENTS_AT_ONCE };
      const { items } = await services.corpus.list(allOf(visibleFilter(principal), inIt), page);
      ids.push(...items.filter(({ chunkCount }) => chunkCount > 0).map(({ id: document }) => document));
      if (items.length < DOCUMENTS_AT_ONCE) return ids;
    }
  };
  return {
    async find(query, limit, signal) {
      const { settings, detail } = searchRequest.parse(onlyGraph(query, limit));
      const outcome = await retriever.search(query, settings, signal);
      return z.array(hit).parse((outcome.graph ?? []).map((each) => toGraphHit(each, { query, detail })));
    },
    async view(collection, limit) {
      const { id } = await found(collection);
      const outline = await graph.records.outline(id, { nodes: { offset: 0, limit }, edges: 5 * limit });
      const { items } = await graph.records.communities(id, { offset: 0, limit: 1_000 });
      return view.parse(toGraphView(outline, items));
    },
    async build(collection, model, signal) {
      const { id } = await found(collection);
      const { documents } = await graph.records.pull(id, { force: false });
      return { documents, communities: await graph.buildCommunities(id, model, signal) };
    },
    async estimate(collection, model) {
      const { extractor, inputTokens, outputTokens, cost, ...rest } = await graph.estimate(
        await documentsOf(collection),
        model ?? null,
      );
      return { ...rest, model: extractor, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: cost };
    },
    async extract(collection, model) {
      const ids = await documentsOf(collection);
      for (const id of ids) await graph.documents.request(id, model ?? null);
      return ids.length;
    },
    async *finish(signal) {
      let failed = 0;
      for await (const { done, total, outcome } of graph.extraction.run(signal)) {
        if (outcome === 'failed') failed += 1;
        yield { done, total, failed };
      }
    },
  };
}

const DOCUMENTS_AT_ONCE = 500;
