import type { Request, Response, Router } from 'express';
import { createSharedCollections } from '../../access/shared-collections.ts';
import { ServiceError } from '../../errors.ts';
import type { Collection } from '../../store/records.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { list, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readQuery } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { sendEvents, streamOptions } from '../sse.ts';
import { toPullEvents, toPullRecord, toResetEvents } from '../wire/graph-events.ts';
import { toGraphRecord, toGraphView } from '../wire/graph-record.ts';
import { graphChange, graphWork, pullRequest, resetRequest } from '../wire/graph-request.ts';
import { graphsQuery, pullQuery, viewQuery } from '../wire/query.ts';

type Services = Pick<HttpServices, 'graph' | 'collections' | 'corpus' | 'limits' | 'log'>;

/** docs/contract.md 11: the graphs of collections. A graph is visible only if its collection is. */
export function graphRoutes(services: Services): Router {
  const { graph, collections, limits, log } = services;
  const shared = createSharedCollections(services);
  const router = createRouter();

  const findCollection = async (request: Request, response: Response): Promise<Collection> =>
    shared.get(principalOf(response), readId(request, 'id'));
  const recordOf = async (collection: Collection) => {
    const own = await graph.records.graph(collection.id);
    if (own === undefined) throw new ServiceError('not_found', `There is no graph ${collection.id}.`);
    return toGraphRecord(own, (await collections.get(collection.id)) ?? collection);
  };

  router.get('/', async (request, response) => {
    const { collection_ids, collectionIds, ...paging } = readQuery(request, graphsQuery);
    const query = { ids: [...collection_ids, ...collectionIds], ownerOnly: false, ...paging };
    const { items, total } = await shared.list(principalOf(response), query);
    response.json(list(await Promise.all(items.map(recordOf)), total));
  });

  router.get('/:id', async (request, response) => {
    response.json(single(await recordOf(await findCollection(request, response))));
  });

  router.post('/:id', async (request, response) => {
    const collection = await findCollection(request, response);
    await graph.records.describeGraph(collection.id, readBody(request, graphChange));
    response.json(single(await recordOf(collection)));
  });

  router.post('/:id/pull', async (request, response) => {
    const { id } = await findCollection(request, response);
    const { force, isStreamed } = readBody(request, pullRequest);
    const signal = requestSignal(request, response);
    const options = { force: force || readQuery(request, pullQuery).force, signal };
    if (isStreamed) {
      const steps = graph.records.pullInSteps(id, options);
      await sendEvents(response, toPullEvents(steps), streamOptions(response, signal, { limits, log }));
    } else response.json(single(toPullRecord(await graph.records.pull(id, options))));
  });

  router.post('/:id/reset', async (request, response) => {
    const { id } = await findCollection(request, response);
    const { isStreamed } = readBody(request, resetRequest);
    const signal = requestSignal(request, response);
    const steps = graph.records.resetInSteps(id, signal);
    if (isStreamed) await sendEvents(response, toResetEvents(steps), streamOptions(response, signal, { limits, log }));
    else {
      for await (const _ of steps);
      response.json(single({ success: true }));
    }
  });

  router.post('/:id/communities/build', async (request, response) => {
    const { id } = await findCollection(request, response);
    const { model } = readBody(request, graphWork);
    const count = await graph.buildCommunities(id, model, requestSignal(request, response));
    response.json(single({ message: `Communities built: ${count}.`, communities: count }));
  });

  router.delete('/:id/documents/:documentId', async (request, response) => {
    const { id } = await findCollection(request, response);
    const documentId = readId(request, 'documentId');
    if (!(await graph.records.removeDocument(id, documentId))) {
      throw new ServiceError('not_found', `The graph ${id} contains nothing from document ${documentId}.`);
    }
    response.json(single({ success: true }));
  });

  router.get('/:id/view', async (request, response) => {
    const { id } = await findCollection(request, response);
    const { edges: most = DEFAULT_EDGES, ...nodes } = readQuery(request, viewQuery);
    const edges = Math.min(most, MAX_EDGES);
    const outline = await graph.records.outline(id, { nodes, edges });
    const { items } = await graph.records.communities(id, { offset: 0, limit: MAX_COMMUNITIES });
    response.json(single({ collection_id: id, ...nodes, ...toGraphView(outline, items) }));
  });

  return router;
}

const DEFAULT_EDGES = 500;
const MAX_EDGES = 10_000;
const MAX_COMMUNITIES = 1_000;
