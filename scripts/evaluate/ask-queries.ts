import { measureRanking } from '../../src/evaluation/measure-ranking.ts';
import type { ScoredCase } from '../../src/evaluation/scores.ts';
import type { TestQuery } from '../../src/evaluation/test-collection.ts';
import { chooseDocuments, withTypingError } from './narrow-query.ts';
import type { Service } from './service.ts';

/** Search modes; `default` sends no search settings. */
export const modes = ['full_text', 'semantic', 'hybrid', 'default', 'advanced'] as const;
export type Mode = (typeof modes)[number];

const settingsOf = {
  full_text: { search_settings: { use_semantic_search: false, use_fulltext_search: true } },
  semantic: { search_settings: { use_semantic_search: true, use_fulltext_search: false } },
  hybrid: { search_settings: { use_hybrid_search: true } },
  default: { search_settings: {} },
  advanced: { search_mode: 'advanced', search_settings: {} },
} as const satisfies Readonly<Record<Mode, object>>;

/** Largest `limit` that a search accepts. */
const MAX_HITS = 1000;

export interface Asking {
  readonly service: Service;
  readonly mode: Mode;
  readonly queries: readonly TestQuery[];
  readonly names: ReadonlyMap<string, string>;
  /** Number of ranked documents per query. */
  readonly limit: number;
  /** Number of documents besides the relevant ones that each query may find; undefined for all. */
  readonly among: number | undefined;
  readonly hasTypingErrors: boolean;
  /** Whether graph search is enabled; it does not change the ranking but takes time. */
  readonly withGraph: boolean;
  readonly progress: (done: number) => void;
}

export interface Asked {
  readonly cases: readonly ScoredCase[];
  readonly millisecondsPerQuery: number;
}

/** Runs all queries sequentially and evaluates the document ranking by best chunk. */
export async function askQueries(asking: Asking): Promise<Asked> {
  const { queries, names, among: others, hasTypingErrors, progress } = asking;
  const ids = [...names.keys()];
  const cases: ScoredCase[] = [];
  let milliseconds = 0;
  for (const [seed, { id, text, gains }] of queries.entries()) {
    const relevant = ids.filter((document) => (gains.get(names.get(document) ?? '') ?? 0) > 0);
    const within = others === undefined ? undefined : chooseDocuments(relevant, ids, { others, seed });
    const query = { text: hasTypingErrors ? withTypingError(text, seed) : text, within };
    const startedAt = performance.now();
    const documents = await rankDocuments(query, asking);
    milliseconds += performance.now() - startedAt;
    const ranked = documents.slice(0, asking.limit).map((document) => names.get(document) ?? '');
    cases.push({ id, text, scores: measureRanking(ranked, gains) });
    progress(cases.length);
  }
  return { cases, millisecondsPerQuery: milliseconds / Math.max(1, queries.length) };
}

interface NarrowQuery {
  readonly text: string;
  /** Identifiers of the documents that are searched; undefined for all. */
  readonly within: readonly string[] | undefined;
}

/**
 * Document identifiers ranked by their best chunk. Requests as many chunks as documents are needed, and more only if
 * several chunks of one document displaced others.
 */
async function rankDocuments(query: NarrowQuery, asking: Asking): Promise<readonly string[]> {
  for (let limit = asking.limit; ; limit = Math.min(MAX_HITS, limit * 3)) {
    const hits = await search(query, limit, asking);
    const documents = [...new Set(hits.map(({ document_id: id }) => id))];
    if (documents.length >= asking.limit || hits.length < limit || limit >= MAX_HITS) return documents;
  }
}

async function search({ text: query, within }: NarrowQuery, limit: number, { service, mode, withGraph }: Asking) {
  const { search_settings: kind, ...rest } = settingsOf[mode];
  const body = {
    query,
    ...rest,
    search_settings: {
      ...kind,
      limit,
      include_metadatas: false,
      ...(within !== undefined && { filters: { document_id: { $in: within } } }),
    },
    ...(!withGraph && { graph_search_settings: { enabled: false } }),
  };
  const results = await service.call('POST', '/retrieval/search', body);
  return (results as { readonly chunk_search_results: readonly { readonly document_id: string }[] })
    .chunk_search_results;
}
