import type { Chunk, LegScore, ScoredChunk } from '../../documents/chunk.ts';
import type { SearchKind } from '../../retrieval/search-settings.ts';
import type { HitDetail } from './search-settings.ts';

/**
 * docs/contract.md 7. `start`, `end`, `page` and `heading_path` are additions: the place of the chunk in the document.
 */
export function toChunkRecord(chunk: Chunk, vector: Float32Array | undefined) {
  return { ...chunkMembers(chunk), metadata: chunk.metadata, vector: vector === undefined ? null : Array.from(vector) };
}

/** Facts about the search that each hit repeats. */
export interface HitContext {
  readonly query: string;
  readonly kind: SearchKind;
  readonly detail: HitDetail;
  /** Of this service, without a path. */
  readonly origin: string;
}

/** docs/contract.md 4.5. Hybrid hits have their rank in each leg, and every hit the query that found it (4.1). */
export function toChunkHit(chunk: ScoredChunk, { query, kind, detail }: Omit<HitContext, 'origin'>) {
  const ranks =
    kind === 'hybrid'
      ? { semantic_rank: chunk.semantic?.rank ?? null, full_text_rank: chunk.fullText?.rank ?? null }
      : {};
  return {
    ...chunkMembers(chunk),
    score: detail.score ? chunk.score : null,
    metadata: detail.metadata ? { ...chunk.metadata, ...ranks, associated_query: query } : {},
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
