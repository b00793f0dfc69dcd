import { measureRanking } from '../../src/evaluation/measure-ranking.ts';
import type { ScoredCase } from '../../src/evaluation/scores.ts';
import type { TestQuery } from '../../src/evaluation/test-collection.ts';
import type { Service } from './service.ts';

/** `default` says nothing of how to search: the service chooses. */
export const modes = ['full_text', 'semantic', 'hybrid', 'default', 'advanced'] as const;
export type Mode = (typeof modes)[number];

const settingsOf = {
  full_text: { search_settings: { use_semantic_search: false, use_fulltext_search: true } },
  semantic: { search_settings: { use_semantic_search: true, use_fulltext_search: false } },
  hybrid: { search_settings: { use_hybrid_search: true } },
  default: { search_settings: {} },
  advanced: { search_mode: 'advanced', search_settings: {} },
} as const satisfies Readonly<Record<Mode, object>>;

/** The most passages that a search may ask for. */
const MAX_HITS = 1000;

export interface Asking {
  readonly service: Service;
  readonly mode: Mode;
  readonly queries: readonly TestQuery[];
  readonly names: ReadonlyMap<string, string>;
  /** Documents that are ranked per query. */
  readonly limit: number;
  /** Whether what the graph finds is asked for too; it changes no place of a passage, but takes its time. */
  readonly withGraph: boolean;
  readonly progress: (done: number) => void;
}

export interface Asked {
  readonly cases: readonly ScoredCase[];
  readonly millisecondsPerQuery: number;
}

/** Asks every query, one after another, and judges the documents in the order of their best passages. */
export async function askQueries(asking: Asking): Promise<Asked> {
  const { queries, names, progress } = asking;
  const cases: ScoredCase[] = [];
  let milliseconds = 0;
  for (const { id, text, gains } of queries) {
    const startedAt = performance.now();
    const documents = await rankDocuments(text, asking);
    milliseconds += performance.now() - startedAt;
    const ranked = documents.slice(0, asking.limit).map((document) => names.get(document) ?? '');
    cases.push({ id, text, scores: measureRanking(ranked, gains) });
    progress(cases.length);
  }
  return { cases, millisecondsPerQuery: milliseconds / Math.max(1, queries.length) };
}

/**
 * Identifiers of documents, each at the place of its best passage. As many passages are asked for as documents are
 * wanted; only where passages of the same document crowd others out and there may be more, more are asked for.
 */
async function rankDocuments(query: string, asking: Asking): Promise<readonly string[]> {
  for (let limit = asking.limit; ; limit = Math.min(MAX_HITS, limit * 3)) {
    const hits = await search(query, limit, asking);
    const documents = [...new Set(hits.map(({ document_id: id }) => id))];
    if (documents.length >= asking.limit || hits.length < limit || limit >= MAX_HITS) return documents;
  }
}

async function search(query: string, limit: number, { service, mode, withGraph }: Asking) {
  const { search_settings: kind, ...rest } = settingsOf[mode];
  const body = {
    query,
    ...rest,
    search_settings: { ...kind, limit, include_metadatas: false },
    ...(!withGraph && { graph_search_settings: { enabled: false } }),
  };
  const results = await service.call('POST', '/retrieval/search', body);
  return (results as { readonly chunk_search_results: readonly { readonly document_id: string }[] })
    .chunk_search_results;
}
