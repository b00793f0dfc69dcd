import { z } from 'zod';
import type { toChunkHit, toChunkRecord } from '../../wire/chunk-record.ts';
import type { toGraphHit } from '../../wire/graph-hit.ts';
import type { toSearchResults } from '../../wire/search-results.ts';
import type { toWebRecord, toWebSearchResult } from '../../wire/web-record.ts';
import { documentRecord } from './document.ts';
import { id, ids, metadata, timestamp, vector } from './shared.ts';

const chunkMembers = {
  id,
  document_id: id,
  owner_id: id,
  collection_ids: ids,
  text: z.string(),
  start: z.int().describe('Where the passage begins in the document’s text, in UTF-16 code units.'),
  end: z.int().describe('Where it ends, exclusive.'),
  page: z.int().nullable(),
  heading_path: z.array(z.string()),
  version: z.string().nullable().describe('Of the document.'),
  published_at: timestamp.nullable(),
  metadata,
};

/** docs/contract.md 7. */
export const chunkRecord = z.object({ ...chunkMembers, vector }).meta({ id: 'Chunk' }) satisfies z.ZodType<
  ReturnType<typeof toChunkRecord>
>;

const leg = z.object({ rank: z.int(), score: z.number() }).nullable();

/** docs/contract.md 4.5. */
export const hitMembers = {
  ...chunkMembers,
  score: z.number().nullable(),
  also_in: z
    .array(z.object({ id, document_id: id }))
    .exactOptional()
    .describe('Passages that say the same and were folded into this one.'),
  merged_ids: ids
    .exactOptional()
    .describe('The passages this one was put together from, in the order of the document.'),
  explain: z
    .object({
      semantic: leg,
      full_text: leg,
      rerank: z.object({ score: z.number(), rank_before: z.int() }).exactOptional(),
    })
    .exactOptional()
    .describe('Where each leg of the search had it, and the reranker; when asked for.'),
};
export const chunkHit = z.object(hitMembers).meta({ id: 'ChunkHit' }) satisfies z.ZodType<
  ReturnType<typeof toChunkHit>
>;

const entity = z.object({ id, name: z.string(), description: z.string(), metadata });
const relationship = z.object({
  id,
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  subject_id: id,
  object_id: id,
  description: z.string(),
  score: z.number(),
  metadata,
});
const community = z.object({ id, name: z.string(), summary: z.string(), metadata });

export const graphHitMembers = {
  id,
  content: z.union([relationship, entity, community]),
  result_type: z.enum(['entity', 'relationship', 'community']),
  chunk_ids: ids,
  metadata,
  score: z.number().nullable(),
};
const graphHit = z.object(graphHitMembers).meta({ id: 'GraphHit' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toGraphHit>]: unknown;
}>;

const sitelinks = z.array(z.object({ title: z.string(), link: z.string() }));

export const webMembers = {
  id: z.string(),
  title: z.string(),
  link: z.string(),
  snippet: z.string(),
  position: z.int().describe('Among the results, from 1; 0 for a page that was read.'),
  type: z.enum(['organic', 'firecrawl']),
  date: z.string().nullable(),
  sitelinks,
};
const webHit = z.object(webMembers).meta({ id: 'WebHit' }) satisfies z.ZodType<ReturnType<typeof toWebRecord>>;

const webSearch = z
  .object({
    organic_results: z.array(webHit),
    related_searches: z.array(z.object({ query: z.string(), type: z.literal('related'), id: z.string() })),
    people_also_ask: z.array(
      z.object({
        question: z.string(),
        snippet: z.string(),
        link: z.string(),
        title: z.string(),
        id: z.string(),
        type: z.literal('peopleAlsoAsk'),
      }),
    ),
    engine: z.string(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'WebSearch' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toWebSearchResult>]: unknown }>;

const explanation = z
  .object({
    kind: z.enum(['semantic', 'full_text', 'hybrid']),
    strategy: z.string(),
    searched: z
      .string()
      .nullable()
      .describe('What was searched for where that was not the question itself, which leant on a conversation.'),
    embedder: z.string().nullable(),
    hybrid_settings: z
      .object({
        full_text_weight: z.number(),
        semantic_weight: z.number(),
        full_text_limit: z.int(),
        rrf_k: z.int(),
      })
      .nullable(),
    fusion: z
      .enum(['ranks', 'scores'])
      .nullable()
      .describe('Whether the two legs were fused by the ranks or by the scores of their hits.'),
    semantic_hits: z.int().nullable(),
    full_text_hits: z.int().nullable(),
    terms: z.array(z.string()),
    coverage: z
      .object({ score: z.number(), missing: z.array(z.string()) })
      .nullable()
      .describe(
        'The share of the words of the question that the best hit has, and the words that none of the first hits has.',
      ),
    corrections: z
      .array(z.object({ word: z.string(), instead: z.array(z.string()) }))
      .describe('Words that no passage has, and the terms that full text looked for in their place.'),
    phraseFilters: z
      .object({
        phrases: z.array(z.string()),
        required: z.array(z.string()),
        preferred: z.array(z.string()),
        excluded: z.array(z.string()),
      })
      .nullable()
      .describe('Phrases in quotation marks, which of them every hit or the first hits say, and what no hit says.'),
    reranker: z.object({ name: z.string(), depth: z.int() }).nullable(),
    dropped: z
      .array(z.object({ id, reason: z.enum(['duplicate', 'max_per_document', 'merged']), of: id.nullable() }))
      .describe('Hits that are not shown by themselves, why, and which hit stands for them.'),
    milliseconds: z.object({
      embed: z.number(),
      semantic: z.number(),
      full_text: z.number(),
      graph: z.number(),
      rerank: z.number(),
    }),
    notes: z.array(z.string()),
  })
  .meta({ id: 'SearchExplanation' });

/** Kinds of results that were not requested are null, or empty in streams. */
export const searchResults = z
  .object({
    chunk_search_results: z.array(chunkHit),
    graph_search_results: z.array(graphHit),
    web_page_search_results: z.array(webHit).nullable(),
    web_search_results: z.array(webSearch).nullable(),
    document_search_results: z.array(documentRecord).nullable(),
    generic_tool_result: z.array(z.json()).nullable(),
    notes: z
      .array(z.string())
      .exactOptional()
      .describe('What to know of how the search went, where there is anything.'),
    explanation: explanation.exactOptional().describe('How the search went, when asked for.'),
  })
  .meta({ id: 'SearchResults' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toSearchResults>]: unknown }>;
