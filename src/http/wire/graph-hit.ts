import { z } from 'zod';
import type { GraphHit } from '../../documents/graph-hit.ts';
import { associatedQuery, type HitContext } from './chunk-record.ts';
import { id, ids, metadata } from './record-parts.ts';

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

export const graphHit = z.object(graphHitMembers).meta({ id: 'GraphHit' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toGraphHit>]: unknown;
}>;

/** docs/contract.md 4.5. `documents` in the metadata is an addition: the documents that mention the hit. */
export function toGraphHit(hit: GraphHit, { query, detail }: Pick<HitContext, 'query' | 'detail'>) {
  const documents = hit.documents.map(({ id, title }) => ({ document_id: id, title }));
  return {
    id: hit.id,
    content: contentOf(hit),
    result_type: hit.found.kind,
    chunk_ids: hit.chunkIds,
    metadata: detail.metadata ? { associated_query: associatedQuery(query), documents } : {},
    score: detail.score ? hit.score : null,
  };
}

/** Addition: document and chunk of the sentence on which a cited hit is based; empty for manual entries. */
export const toSentencePlace = ({ sentence }: GraphHit) =>
  sentence === undefined ? {} : { document_id: sentence.documentId, chunk_id: sentence.chunkId };

function contentOf({ id, score, found }: GraphHit) {
  switch (found.kind) {
    case 'entity':
      return { id, name: found.name, description: found.description, metadata: { category: found.category } };
    case 'relationship':
      return {
        id,
        subject: found.subject,
        predicate: found.predicate,
        object: found.object,
        subject_id: found.subjectId,
        object_id: found.objectId,
        description: found.description,
        score,
        metadata: { weight: found.weight },
      };
    case 'community':
      return {
        id,
        name: found.name,
        summary: found.summary,
        metadata: { findings: found.findings, collection_id: found.collectionId },
      };
  }
}
