import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import { createSharedCollections } from '../../access/shared-collections.ts';
import { ServiceError } from '../../errors.ts';
import type { Page, Paged } from '../../store/corpus.ts';
import type { GraphParent, StoredCommunity } from '../../store/graph-records.ts';
import { onlySuperusers, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readPage } from '../read-request.ts';
import { eachOf, sendExport } from '../send-csv.ts';
import { communityColumns } from '../wire/export-columns.ts';
import { toCommunityRecord } from '../wire/graph-record.ts';
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

/** The differences between entities, relationships and communities. The parameter `id` is that of the collection. */
interface RowKind<Row, New, Change> {
  readonly name: 'entities' | 'relationships' | 'communities';
  readonly form: GraphRowForm<Row>;
  readonly newRow: z.ZodType<New>;
  readonly change: z.ZodType<Change>;
  list(id: string, page: Page): Promise<Paged<Row>>;
  get(id: string, rowId: string): Promise<Row | undefined>;
  create(id: string, row: New): Promise<Row>;
  update(id: string, rowId: string, change: Change): Promise<Row | undefined>;
  remove(id: string, rowId: string): Promise<boolean>;
}

/** docs/contract.md 11: entities, relationships and communities of a collection's graph, for its members. */
export function graphRowRoutes(services: Services): Router {
  const { graph, embeddings } = services;
  const { records } = graph;
  const shared = createSharedCollections(services);
  const router = createRouter();
  const findCollectionId = async (request: Request, response: Response): Promise<string> =>
    (await shared.get(principalOf(response), readId(request, 'id'))).id;

  // Before the routes by id, since "export" is not an id.
  addGraphExports(router, records, 'collection');
  router.post('/:id/communities/export', onlySuperusers, async (request, response) => {
    const id = readId(request, 'id');
    const rows = () => eachOf((page) => records.communities(id, page));
    await sendExport(request, response, { name: 'communities', columns: communityColumns, rows });
  });

  function addRows<Row, New, Change>(kind: RowKind<Row, New, Change>): void {
    const send = (response: Response, row: Row) => response.json(single(kind.form.toRecord(row, undefined)));
    const path = `/:id/${kind.name}`;
    router.get(path, async (request, response) => {
      const rows = await kind.list(await findCollectionId(request, response), readPage(request));
      await sendRows(rows, kind.form, { embeddings, request, response });
    });
    router.post(path, async (request, response) => {
      const id = await findCollectionId(request, response);
      send(response, await kind.create(id, readBody(request, kind.newRow)));
    });
    router.get(`${path}/:rowId`, async (request, response) => {
      const id = await findCollectionId(request, response);
      const rowId = readId(request, 'rowId');
      send(response, required(await kind.get(id, rowId), kind.name, rowId));
    });
    router.post(`${path}/:rowId`, async (request, response) => {
      const id = await findCollectionId(request, response);
      const rowId = readId(request, 'rowId');
      send(response, required(await kind.update(id, rowId, readBody(request, kind.change)), kind.name, rowId));
    });
    router.delete(`${path}/:rowId`, async (request, response) => {
      const id = await findCollectionId(request, response);
      const rowId = readId(request, 'rowId');
      required((await kind.remove(id, rowId)) || undefined, kind.name, rowId);
      response.json(single({ success: true }));
    });
  }

  addRows({
    name: 'entities',
    form: entityForm,
    newRow: newEntity,
    change: entityChange,
    list: (id, page) => records.entities(parentOf(id), page),
    get: (id, rowId) => records.entity(parentOf(id), rowId),
    create: records.createEntity,
    update: records.changeEntity,
    remove: records.removeEntity,
  });
  addRows({
    name: 'relationships',
    form: relationshipForm,
    newRow: newRelationship,
    change: relationshipChange,
    list: (id, page) => records.relationships(parentOf(id), page),
    get: (id, rowId) => records.relationship(parentOf(id), rowId),
    create: records.createRelationship,
    update: records.changeRelationship,
    remove: records.removeRelationship,
  });
  addRows({
    name: 'communities',
    form: communityForm,
    newRow: newCommunity,
    change: communityChange,
    list: records.communities,
    get: records.community,
    create: records.createCommunity,
    update: records.changeCommunity,
    remove: records.removeCommunity,
  });
  return router;
}

const communityForm: GraphRowForm<StoredCommunity> = {
  text: ({ name, summary }) => summary || name,
  toRecord: toCommunityRecord,
};

const parentOf = (id: string): GraphParent => ({ kind: 'collection', id });

const nouns = { entities: 'entity', relationships: 'relationship', communities: 'community' } as const;

function required<Row>(row: Row | undefined, kind: keyof typeof nouns, id: string): Row {
  if (row !== undefined) return row;
  throw new ServiceError('not_found', `There is no ${nouns[kind]} ${id} in this graph.`);
}
