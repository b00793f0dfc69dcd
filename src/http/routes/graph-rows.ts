import { type Request, type Response, Router } from 'express';
import { createSharedCollections } from '../../access/shared-collections.ts';
import { ServiceError } from '../../errors.ts';
import type { GraphParent, StoredCommunity } from '../../store/graph-records.ts';
import { principalOf } from '../authenticate.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-body.ts';
import { readId, readPage } from '../read-query.ts';
import { requireSuperuser } from '../require-superuser.ts';
import { eachOf, sendExport } from '../send-csv.ts';
import { onlyMethods } from '../unknown-route.ts';
import { communityColumns } from '../wire/export-columns.ts';
import { toCommunityRecord, toEntityRecord, toRelationshipRecord } from '../wire/graph-record.ts';
import {
  communityChange,
  entityChange,
  newCommunity,
  newEntity,
  newRelationship,
  relationshipChange,
} from '../wire/graph-request.ts';
import { addGraphExports, entityForm, type GraphRowForm, relationshipForm, sendRows } from './graph-lists.ts';

type Services = Pick<HttpServices, 'graph' | 'collections' | 'corpus' | 'embeddings'>;

/** docs/contract.md 11: entities, relationships and communities of a collection's graph, for its members. */
export function graphRowRoutes(services: Services): Router {
  const { graph, embeddings } = services;
  const shared = createSharedCollections(services);
  const router = Router();
  const found = async (request: Request, response: Response): Promise<string> =>
    (await shared.get(principalOf(response), readId(request, 'id'))).id;

  // Before the routes by id, since "export" is not an id.
  addGraphExports(router, graph.records, 'collection');
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
      const rows = await graph.records.entities(parentOf(await found(request, response)), readPage(request));
      await sendRows(rows, entityForm, { embeddings, request, response });
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
      const rows = await graph.records.relationships(parent, readPage(request));
      await sendRows(rows, relationshipForm, { embeddings, request, response });
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
      const rows = await graph.records.communities(await found(request, response), readPage(request));
      await sendRows(rows, communityForm, { embeddings, request, response });
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
}

const communityForm: GraphRowForm<StoredCommunity> = {
  text: ({ name, summary }) => summary || name,
  toRecord: toCommunityRecord,
};

const parentOf = (id: string): GraphParent => ({ kind: 'collection', id });

function required<Row>(row: Row | undefined, id: string): Row {
  if (row !== undefined) return row;
  throw new ServiceError('not_found', `There is no ${id} in this graph.`);
}

function removed(was: boolean, id: string) {
  required(was || undefined, id);
  return single({ success: true });
}
