import { z } from 'zod';
import { allOf, type Filter } from '../../documents/filter.ts';
import { readFilter } from '../../documents/read-filter.ts';
import { timestamp } from '../../documents/timestamp.ts';
import { ServiceError } from '../../errors.ts';
import {
  defaultGraphSettings,
  defaultSearchSettings,
  type GraphSettings,
  type HybridSettings,
  type SearchKind,
  type SearchSettings,
  type SearchStrategy,
} from '../../retrieval/search-settings.ts';
import { defined, numeric, optional, snakeCased } from './tolerant.ts';

const measure = z.enum([
  'cosine_distance',
  'l2_distance',
  'max_inner_product',
  'l1_distance',
  'hamming_distance',
  'jaccard_distance',
]);

/** A filter expression in its wire format, docs/contract.md 4.2. */
export const filterRecord = z.record(z.string(), z.unknown()).meta({
  id: 'Filter',
  description:
    'Conditions by field, e.g. {"metadata.year": {"$gt": 2020}}; `$and` and `$or` take lists of them. Operators: $eq, ' +
    '$ne, $gt, $gte, $lt, $lte, $in, $nin, $like, $ilike, $overlap, $contains.',
});
const weight = numeric(z.number().min(0));

const hybridSettings = snakeCased(
  z.object({
    full_text_weight: optional(weight),
    // The spelling that r2r-js derives from its own `fulltextWeight` (docs/contract.md D13).
    fulltext_weight: optional(weight),
    semantic_weight: optional(weight),
    full_text_limit: optional(numeric(z.number().int().min(1))),
    fulltext_limit: optional(numeric(z.number().int().min(1))),
    rrf_k: optional(numeric(z.number().int().min(0))),
  }),
).meta({ id: 'HybridSettings' });

const graphLimit = optional(numeric(z.number().int().min(0).max(1000)));

/** docs/contract.md 4.1. */
const graphSettings = snakeCased(
  z.object({
    enabled: optional(z.boolean()),
    use_graph_search: optional(z.boolean()),
    kg_search_type: optional(z.string()),
    limits: optional(
      snakeCased(z.object({ entities: graphLimit, relationships: graphLimit, communities: graphLimit })),
    ),
  }),
).meta({ id: 'GraphSearchSettings' });

type WireGraphSettings = z.output<typeof graphSettings>;

const wireSettings = snakeCased(
  z.object({
    filters: optional(filterRecord),
    search_filters: optional(filterRecord).meta({ deprecated: true }),
    limit: optional(numeric(z.number().int().min(1).max(1000))),
    offset: optional(numeric(z.number().int().min(0))),
    use_semantic_search: optional(z.boolean()),
    use_fulltext_search: optional(z.boolean()),
    use_full_text_search: optional(z.boolean()),
    use_hybrid_search: optional(z.boolean()),
    include_metadatas: optional(z.boolean()),
    include_metadata: optional(z.boolean()),
    include_scores: optional(z.boolean()),
    search_strategy: optional(z.string()).describe('vanilla, hyde or rag_fusion.'),
    num_sub_queries: optional(numeric(z.number().int().min(1).max(20))),
    hybrid_settings: optional(hybridSettings),
    // docs/contract.md D9: accepted in both places; the one that R2R reads takes precedence.
    index_measure: optional(measure),
    chunk_settings: optional(
      snakeCased(
        z.object({
          enabled: optional(z.boolean()),
          index_measure: optional(measure),
          probes: optional(numeric(z.number().int().min(1))),
          ef_search: optional(numeric(z.number().int().min(1))),
        }),
      ),
    ),
    graph_settings: optional(graphSettings),
    explain: optional(z.boolean()),
    diversity: optional(numeric(z.number().min(0).max(1))).describe(
      'From 0 (no diversification) to 1 (maximum diversity).',
    ),
    max_per_document: optional(numeric(z.number().int().min(1).max(1000))).describe(
      'Maximum number of hits per document.',
    ),
    fold_duplicates: optional(z.boolean()).describe(
      'Folds near-duplicate chunks into one hit, which lists the others in also_in.',
    ),
    merge_neighbours: optional(z.boolean()).describe('Merges adjacent chunks of a document into one hit.'),
    merge_neighbors: optional(z.boolean()).describe('Same as merge_neighbours.'),
    rerank: optional(z.boolean()).describe('False disables a configured reranker.'),
    rerank_depth: optional(numeric(z.number().int().min(1).max(1000))).describe('Number of hits that are reranked.'),
    as_of: optional(timestamp).describe('Search the documents as they were at this time.'),
  }),
).meta({ id: 'SearchSettings' });

type WireSettings = z.output<typeof wireSettings>;

/** The parts of a hit to return; the search itself does not depend on them. */
export interface HitDetail {
  readonly metadata: boolean;
  readonly score: boolean;
  readonly explain: boolean;
}

/**
 * The search members of a request (docs/contract.md 4.1), shared by all routes that search. Graph settings are accepted
 * in both places; the top-level ones take precedence (docs/contract.md D8).
 */
export const searchMembers = {
  search_mode: optional(z.enum(['basic', 'advanced', 'custom'])).describe(
    'basic: semantic; advanced: hybrid with rewritten queries; custom: by the settings.',
  ),
  search_settings: optional(wireSettings),
  graph_search_settings: optional(graphSettings),
  explain: optional(z.boolean()).describe('Explain the rank of each hit.'),
};

interface SearchMembers {
  readonly search_mode: 'basic' | 'advanced' | 'custom' | undefined;
  readonly search_settings: WireSettings | undefined;
  readonly graph_search_settings?: WireGraphSettings | undefined;
  readonly explain: boolean | undefined;
}

export function toSearchSettings(members: SearchMembers): SearchSettings {
  const mode = members.search_mode ?? 'custom';
  const wire: Partial<WireSettings> = members.search_settings ?? {};
  const kind = kindOf(wire) ?? kindOfMode[mode];
  return {
    ...(kind === undefined ? {} : { kind }),
    filter: filterOf(wire),
    ...(wire.as_of === undefined ? {} : { asOf: wire.as_of }),
    limit: wire.limit ?? defaultSearchSettings.limit,
    offset: wire.offset ?? defaultSearchSettings.offset,
    measure: wire.chunk_settings?.index_measure ?? wire.index_measure ?? defaultSearchSettings.measure,
    hybrid: hybridOf(wire),
    strategy: strategyOf(wire.search_strategy) ?? (mode === 'advanced' ? 'hyde' : defaultSearchSettings.strategy),
    subQueries: wire.num_sub_queries ?? defaultSearchSettings.subQueries,
    explain: detailOf(members).explain,
    ...defined({ graph: graphOf(members, wire), shaping: shapingOf(wire), rerank: rerankOf(wire) }),
  };
}

export function detailOf({ search_settings: wire, explain }: SearchMembers): HitDetail {
  return {
    metadata: wire?.include_metadatas ?? wire?.include_metadata ?? true,
    score: wire?.include_scores ?? true,
    explain: explain ?? wire?.explain ?? false,
  };
}

/** Kind of search of each mode unless the settings choose one; for `custom`, it depends on the embedder. */
const kindOfMode: Readonly<Record<'basic' | 'advanced' | 'custom', SearchKind | undefined>> = {
  basic: 'semantic',
  advanced: 'hybrid',
  custom: undefined,
};

/** The kind selected by the `use_…` members; undefined if none is set. Semantic plus full text means hybrid. */
function kindOf(wire: Partial<WireSettings>): SearchKind | undefined {
  const fullText = wire.use_fulltext_search ?? wire.use_full_text_search;
  const { use_semantic_search: semantic, use_hybrid_search: hybrid } = wire;
  if (semantic === undefined && fullText === undefined && hybrid === undefined) return undefined;
  if (hybrid === true || (semantic !== false && fullText === true)) return 'hybrid';
  if (semantic !== false) return 'semantic';
  if (fullText === true) return 'full_text';
  throw new ServiceError(
    'invalid_request',
    'All kinds of search are disabled. Set use_semantic_search, use_fulltext_search or use_hybrid_search to true.',
  );
}

function filterOf(wire: Partial<WireSettings>): Filter {
  return allOf(readFilter(wire.filters ?? {}), readFilter(wire.search_filters ?? {}));
}

function shapingOf(wire: Partial<WireSettings>): SearchSettings['shaping'] | undefined {
  const shaping = defined({
    diversity: wire.diversity,
    maxPerDocument: wire.max_per_document,
    foldDuplicates: wire.fold_duplicates,
    mergeNeighbours: wire.merge_neighbours ?? wire.merge_neighbors,
  });
  return Object.keys(shaping).length === 0 ? undefined : shaping;
}

function rerankOf({ rerank, rerank_depth: depth }: Partial<WireSettings>): SearchSettings['rerank'] | undefined {
  if (rerank === undefined && depth === undefined) return undefined;
  return { enabled: rerank ?? true, ...defined({ depth }) };
}

/** Merges both places of graph settings. An unknown kind of graph search counts as `local`. */
function graphOf(
  { graph_search_settings: top }: SearchMembers,
  wire: Partial<WireSettings>,
): GraphSettings | undefined {
  const nested = wire.graph_settings;
  const withChunks = wire.chunk_settings?.enabled !== false;
  if (top === undefined && nested === undefined && withChunks) return undefined;
  const enabled = top?.use_graph_search ?? top?.enabled ?? nested?.use_graph_search ?? nested?.enabled;
  return {
    enabled: enabled ?? defaultGraphSettings.enabled,
    kind: (top?.kg_search_type ?? nested?.kg_search_type) === 'global' ? 'global' : 'local',
    limits: defined({ ...nested?.limits, ...defined(top?.limits ?? {}) }),
    withChunks,
  };
}

function hybridOf(wire: Partial<WireSettings>): Partial<HybridSettings> {
  const settings: Partial<z.output<typeof hybridSettings>> = wire.hybrid_settings ?? {};
  return defined({
    fullTextWeight: settings.full_text_weight ?? settings.fulltext_weight,
    semanticWeight: settings.semantic_weight,
    fullTextLimit: settings.full_text_limit ?? settings.fulltext_limit,
    rrfK: settings.rrf_k,
  });
}

/** An unknown strategy counts as `vanilla` (docs/contract.md 4.1). */
function strategyOf(name: string | undefined): SearchStrategy | undefined {
  switch (name) {
    case undefined:
      return undefined;
    case 'hyde':
      return 'hyde';
    case 'rag_fusion':
    case 'query_fusion':
      return 'rag_fusion';
    default:
      return 'vanilla';
  }
}
