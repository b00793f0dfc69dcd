import { z } from 'zod';
import type { Chunk, LegScore, ScoredChunk } from '../../documents/chunk.ts';
import type { SearchKind } from '../../retrieval/search-settings.ts';
import { id, ids, metadata, timestamp, vector } from './record-parts.ts';
import type { HitDetail } from './search-settings.ts';

const chunkFields = {
  id,
  document_id: id,
  owner_id: id,
  collection_ids: ids,
  text: z.string(),
  start: z.int().describe('Start offset in the document’s text, in UTF-16 code units.'),
  end: z.int().describe('End offset, exclusive.'),
  page: z.int().nullable(),
  heading_path: z.array(z.string()),
  version: z.string().nullable().describe('Version of the document.'),
  published_at: timestamp.nullable(),
  metadata,
};

/** docs/contract.md 7. */
export const chunkRecord = z.object({ ...chunkFields, vector }).meta({ id: 'Chunk' }) satisfies z.ZodType<
  ReturnType<typeof toChunkRecord>
>;

const legPlace = z.object({ rank: z.int(), score: z.number() }).nullable();

/** docs/contract.md 4.5. */
export const hitMembers = {
  ...chunkFields,
  score: z.number().nullable(),
  also_in: z
    .array(z.object({ id, document_id: id }))
    .exactOptional()
    .describe('Near-duplicate chunks that were folded into this one.'),
  merged_ids: ids.exactOptional().describe('The chunks that were merged into this one, in document order.'),
  explain: z
    .object({
      semantic: legPlace,
      full_text: legPlace,
      rerank: z.object({ score: z.number(), rank_before: z.int() }).exactOptional(),
    })
    .exactOptional()
    .describe('Rank and score in each leg and in the reranker; on request.'),
};

export const chunkHit = z.object(hitMembers).meta({ id: 'ChunkHit' }) satisfies z.ZodType<
  ReturnType<typeof toChunkHit>
>;

/**
 * docs/contract.md 7. `start`, `end`, `page` and `heading_path` are additions: the location of the chunk in its
 * document.
 */
export function toChunkRecord(chunk: Chunk, vector: Float32Array | undefined) {
  return { ...chunkMembers(chunk), metadata: chunk.metadata, vector: vector === undefined ? null : Array.from(vector) };
}

/** Facts about the search that are repeated in each hit. */
export interface HitContext {
  readonly query: string;
  readonly kind: SearchKind;
  readonly detail: HitDetail;
  /** Origin of this service, for links. */
  readonly origin: string;
}

const MAX_ASSOCIATED_QUERY = 1_000;

/** The query as repeated in each hit: cut, because a pasted page would be sent back as often as there are hits. */
export const associatedQuery = (query: string): string =>
  query.length <= MAX_ASSOCIATED_QUERY ? query : `${query.slice(0, MAX_ASSOCIATED_QUERY - 1).toWellFormed()}…`;

/** docs/contract.md 4.5. Hybrid hits include their rank in each leg, and all hits the query that found them (4.1). */
export function toChunkHit(chunk: ScoredChunk, { query, kind, detail }: Omit<HitContext, 'origin'>) {
  const ranks =
    kind === 'hybrid'
      ? { semantic_rank: chunk.semantic?.rank ?? null, full_text_rank: chunk.fullText?.rank ?? null }
      : {};
  return {
    ...chunkMembers(chunk),
    score: detail.score ? chunk.score : null,
    metadata: detail.metadata ? { ...chunk.metadata, ...ranks, associated_query: associatedQuery(query) } : {},
    ...(chunk.alsoIn && {
      also_in: chunk.alsoIn.map((other) => ({ id: other.id, document_id: other.documentId })),
    }),
    ...(chunk.merged && { merged_ids: chunk.merged }),
    ...(detail.explain ? { explain: toExplain(chunk) } : {}),
  };
}

function chunkMembers(chunk: Chunk) {
  return {
    id: chunk.id,
    document_id: chunk.documentId,
    owner_id: chunk.ownerId,
    collection_ids: chunk.collectionIds,
    text: chunk.text,
    start: chunk.start,
    end: chunk.end,
    page: chunk.page,
    heading_path: chunk.headingPath,
    version: chunk.version ?? null,
    published_at: chunk.publishedAt ?? null,
  };
}

const toExplain = ({ semantic, fullText, rerank }: ScoredChunk) => ({
  semantic: legOf(semantic),
  full_text: legOf(fullText),
  ...(rerank && { rerank: { score: rerank.score, rank_before: rerank.from } }),
});

const legOf = (leg: LegScore | undefined) => (leg === undefined ? null : { rank: leg.rank, score: leg.score });
