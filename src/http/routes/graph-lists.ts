import type { Request, Response, Router } from 'express';
import { embedInBatches } from '../../embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../../embeddings/embedding-model.ts';
import type { Paged } from '../../store/corpus.ts';
import type { GraphParent, GraphRecords, StoredEntity, StoredRelationship } from '../../store/graph-records.ts';
import { onlySuperusers } from '../authenticate.ts';
import { list } from '../envelope.ts';
import { readId, readQuery } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { eachOf, sendExport } from '../send-csv.ts';
import { entityColumns, relationshipColumns } from '../wire/export-columns.ts';
import { toEntityRecord, toRelationshipRecord } from '../wire/graph-record.ts';
import { embeddingsQuery } from '../wire/query.ts';

/** Exports of entities and relationships, the same for documents and collections. */
export function addGraphExports(router: Router, records: GraphRecords, kind: GraphParent['kind']): void {
  const parentOf = (request: Request): GraphParent => ({ kind, id: readId(request, 'id') });
  router.post('/:id/entities/export', onlySuperusers, async (request, response) => {
    const parent = parentOf(request);
    const rows = () => eachOf((page) => records.entities(parent, page));
    await sendExport(request, response, { name: 'entities', columns: entityColumns, rows });
  });
  router.post('/:id/relationships/export', onlySuperusers, async (request, response) => {
    const parent = parentOf(request);
    const rows = () => eachOf((page) => records.relationships(parent, page));
    await sendExport(request, response, { name: 'relationships', columns: relationshipColumns, rows });
  });
}

export interface GraphRowForm<Row> {
  /** The text to embed if a request asks for embeddings. */
  readonly text: (row: Row) => string;
  readonly toRecord: (row: Row, vector: Float32Array | undefined) => object;
}

export const entityForm: GraphRowForm<StoredEntity> = {
  text: ({ description, name }) => description || name,
  toRecord: toEntityRecord,
};

export const relationshipForm: GraphRowForm<StoredRelationship> = {
  text: ({ description, subject, predicate, object }) => description || `${subject} ${predicate} ${object}`,
  toRecord: toRelationshipRecord,
};

/** Sends a page of rows. Embeddings are computed per request, so that they always belong to the embedder in use. */
export async function sendRows<Row>(
  { items, total }: Paged<Row>,
  { text, toRecord }: GraphRowForm<Row>,
  { embeddings, request, response }: { embeddings: EmbeddingModel; request: Request; response: Response },
): Promise<void> {
  const includesEmbeddings = readQuery(request, embeddingsQuery).include_embeddings && items.length > 0;
  const signal = requestSignal(request, response);
  const vectors = includesEmbeddings
    ? await embedInBatches(embeddings, items.map(text), { kind: 'passage', signal })
    : [];
  response.json(
    list(
      items.map((each, index) => toRecord(each, vectors[index])),
      total,
    ),
  );
}
