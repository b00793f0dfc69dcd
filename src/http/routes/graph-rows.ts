import { type Request, type Response, Router } from 'express';
import { createSharedCollections } from '../../access/shared-collections.ts';
import { embedInBatches } from '../../embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../../embeddings/embedding-model.ts';
import { ServiceError } from '../../errors.ts';
import type { GraphParent } from '../../store/graph-records.ts';
import { principalOf } from '../authenticate.ts';
import { list, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-body.ts';
import { readId, readPage, readQuery } from '../read-query.ts';
import { requestSignal } from '../request-signal.ts';
import { requireSuperuser } from '../require-superuser.ts';
import { eachOf, sendExport } from '../send-csv.ts';
import { onlyMethods } from '../unknown-route.ts';
import { communityColumns, entityColumns, relationshipColumns } from '../wire/export-columns.ts';
import { toCommunityRecord, toEntityRecord, toRelationshipRecord } from '../wire/graph-record.ts';
import {
  communityChange,
  entityChange,
  newCommunity,
  newEntity,
  newRelationship,
  relationshipChange,
} from '../wire/graph-request.ts';
import { embeddingsQuery } from '../wire/query.ts';

type Services = Pick<HttpServices, 'graph' | 'collections' | 'corpus' | 'embeddings'>;

/** docs/contract.md 11: entities, relationships and communities of a collection's graph, for its members. */
export function graphRowRoutes(services: Services): Router {
  const { graph } = services;
  const shared = createSharedCollections(services);
  const router = Router();
  const found = async (request: Request, response: Response): Promise<string> =>
    (await shared.get(principalOf(response), readId(request, 'id'))).id;

  // Before the routes by id, since "export" is not an id.
  router
    .route('/:id/entities/export')
    .post(async (request, response) => {
      requireSuperuser(principalOf(response));
      const parent = parentOf(readId(request, 'id'));
      const rows = () => eachOf((page) => graph.records.entities(parent, page));
      await sendExport(request, response, { name: 'entities', columns: entityColumns, rows });
    })
    .all(onlyMethods('POST'));
  router
    .route('/:id/relationships/export')
    .post(async (request, response) => {
      requireSuperuser(principalOf(response));
      const parent = parentOf(readId(request, 'id'));
      const rows = () => eachOf((page) => graph.records.relationships(parent, page));
      await sendExport(request, response, { name: 'relationships', columns: relationshipColumns, rows });
    })
    .all(onlyMethods('POST'));
  router
    .route('/:id/communities/export')
    .post(async (request, response) => {
      requireSuperuser(principalOf(response));
      const id = readId(request, 'id');
      const rows = () => eachOf((page) => graph.records.communities(id, page));
      await sendExport(request, response, { name: 'communities', columns: communityColumns, rows });
    })
    .all(onlyMethods('POST'));

  router
    .route('/:id/entities')
    .get(async (request, response) => {
      const { items, total } = await graph.records.entities(
        parentOf(await found(request, response)),
        readPage(request),
      );
      const vectors = await embeddingsOf(items, ({ description, name }) => description || name, request, response);
      response.json(
        list(
          items.map((each, index) => toEntityRecord(each, vectors[index])),
          total,
        ),
      );
    })
    .post(async (request, response) => {
      const id = await found(request, response);
      const created = await graph.records.createEntity(id, readBody(request, newEntity));
      response.json(single(toEntityRecord(created, undefined)));
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/:id/entities/:rowId')
    .get(async (request, response) => {
      const parent = parentOf(await found(request, response));
      const rowId = readId(request, 'rowId');
      response.json(single(toEntityRecord(required(await graph.records.entity(parent, rowId), rowId), undefined)));
    })
    .post(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      const changed = await graph.records.changeEntity(id, rowId, readBody(request, entityChange));
      response.json(single(toEntityRecord(required(changed, rowId), undefined)));
    })
    .delete(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      response.json(removed(await graph.records.removeEntity(id, rowId), rowId));
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));

  router
    .route('/:id/relationships')
    .get(async (request, response) => {
      const parent = parentOf(await found(request, response));
      const { items, total } = await graph.records.relationships(parent, readPage(request));
      const words = ({ description, subject, predicate, object }: (typeof items)[number]) =>
        description || `${subject} ${predicate} ${object}`;
      const vectors = await embeddingsOf(items, words, request, response);
      response.json(
        list(
          items.map((each, index) => toRelationshipRecord(each, vectors[index])),
          total,
        ),
      );
    })
    .post(async (request, response) => {
      const id = await found(request, response);
      const created = await graph.records.createRelationship(id, readBody(request, newRelationship));
      response.json(single(toRelationshipRecord(created, undefined)));
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/:id/relationships/:rowId')
    .get(async (request, response) => {
      const parent = parentOf(await found(request, response));
      const rowId = readId(request, 'rowId');
      const row = required(await graph.records.relationship(parent, rowId), rowId);
      response.json(single(toRelationshipRecord(row, undefined)));
    })
    .post(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      const changed = await graph.records.changeRelationship(id, rowId, readBody(request, relationshipChange));
      response.json(single(toRelationshipRecord(required(changed, rowId), undefined)));
    })
    .delete(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      response.json(removed(await graph.records.removeRelationship(id, rowId), rowId));
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));

  router
    .route('/:id/communities')
    .get(async (request, response) => {
      const { items, total } = await graph.records.communities(await found(request, response), readPage(request));
      const vectors = await embeddingsOf(items, ({ name, summary }) => summary || name, request, response);
      response.json(
        list(
          items.map((each, index) => toCommunityRecord(each, vectors[index])),
          total,
        ),
      );
    })
    .post(async (request, response) => {
      const id = await found(request, response);
      const created = await graph.records.createCommunity(id, readBody(request, newCommunity));
      response.json(single(toCommunityRecord(created, undefined)));
    })
    .all(onlyMethods('GET', 'POST'));
  router
    .route('/:id/communities/:rowId')
    .get(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      response.json(single(toCommunityRecord(required(await graph.records.community(id, rowId), rowId), undefined)));
    })
    .post(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      const changed = await graph.records.changeCommunity(id, rowId, readBody(request, communityChange));
      response.json(single(toCommunityRecord(required(changed, rowId), undefined)));
    })
    .delete(async (request, response) => {
      const id = await found(request, response);
      const rowId = readId(request, 'rowId');
      response.json(removed(await graph.records.removeCommunity(id, rowId), rowId));
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));

  return router;

  function embeddingsOf<Row>(
    rows: readonly Row[],
    words: (row: Row) => string,
    request: Request,
    response: Response,
  ): Promise<readonly Float32Array[]> {
    return embeddedDescriptions(services.embeddings, rows.map(words), request, response);
  }
}

/** Computed on request, so that they always belong to the embedder in use. */
export async function embeddedDescriptions(
  embeddings: EmbeddingModel,
  texts: readonly string[],
  request: Request,
  response: Response,
): Promise<readonly Float32Array[]> {
  if (!readQuery(request, embeddingsQuery).include_embeddings || texts.length === 0) return [];
  return embedInBatches(embeddings, texts, { kind: 'passage', signal: requestSignal(request, response) });
}

const parentOf = (id: string): GraphParent => ({ kind: 'collection', id });

function required<Row>(row: Row | undefined, id: string): Row {
  if (row !== undefined) return row;
  throw new ServiceError('not_found', `There is no ${id} in this graph.`);
}

function removed(was: boolean, id: string) {
  required(was || undefined, id);
  return single({ success: true });
}
