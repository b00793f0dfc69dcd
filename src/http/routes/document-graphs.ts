import type { Router } from 'express';
import { createSharedCollections } from '../../access/shared-collections.ts';
import { mayChange } from '../../access/visible-filter.ts';
import { ServiceError } from '../../errors.ts';
import { BUILT_IN_EXTRACTOR } from '../../graph/graph.ts';
import type { GraphParent } from '../../store/graph-records.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readPage, readQuery, receiveBytes } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { eachOf } from '../send-csv.ts';
import { toExtractionEstimate, toExtractionRecord } from '../wire/extraction-record.ts';
import { graphWork } from '../wire/graph-request.ts';
import { relationshipsQuery } from '../wire/query.ts';
import { addGraphExports, entityForm, relationshipForm, sendRows } from './graph-lists.ts';
import { findChangeable, findVisible } from './visible-document.ts';

type Services = Pick<HttpServices, 'graph' | 'corpus' | 'collections' | 'embeddings' | 'limits'>;

/** docs/contract.md 6.3: the entities and relationships of a document. */
export function documentGraphRoutes({ graph, corpus, embeddings, limits }: Services): Router {
  const router = createRouter();
  router.use(receiveBytes(limits.body));

  router.post('/:id/extract', async (request, response) => {
    const { id } = await findChangeable(corpus, readId(request, 'id'), response);
    const { model, extractor, isEstimate, waits } = readBody(request, graphWork);
    if (isEstimate) {
      response.json(single(toExtractionEstimate(await graph.estimate([id], extractor))));
      return;
    }
    // The built-in extractor is fast enough to wait for; for a model, the response waits only on request.
    const isAwaited = waits || (model ?? BUILT_IN_EXTRACTOR) === BUILT_IN_EXTRACTOR;
    const settled = isAwaited ? graph.extraction.settled(id, requestSignal(request, response)) : undefined;
    // Prevents an unhandled rejection until the promise is awaited below.
    settled?.catch(() => undefined);
    await graph.extraction.request(id, extractor);
    await settled;
    const outcome = isAwaited ? await graph.documents.extractionOf(id) : undefined;
    if (isAwaited && outcome === undefined) {
      throw new ServiceError('not_found', `Document ${id} was deleted before it was extracted.`);
    }
    if (outcome?.failure) throw extractionFailed(outcome.failure);
    const counts = outcome && { entities: outcome.entities, relationships: outcome.relationships };
    const message = `Graph extraction ${isAwaited ? 'completed' : 'queued'} successfully.`;
    response.json(single(toExtractionRecord(message, counts)));
  });

  router.post('/:id/deduplicate', async (request, response) => {
    const { id } = await findChangeable(corpus, readId(request, 'id'), response);
    // Extracted rows are merged before they are stored, so there is nothing left to deduplicate.
    await graph.documents.markMerged(id);
    response.json(single({ message: 'The entities of this document are merged.', task_id: null }));
  });

  router.get('/:id/entities', async (request, response) => {
    const { id } = await findVisible(corpus, readId(request, 'id'), response);
    const rows = await graph.records.entities(parentOf(id), readPage(request));
    await sendRows(rows, entityForm, { embeddings, request, response });
  });

  router.get('/:id/relationships', async (request, response) => {
    const { id } = await findVisible(corpus, readId(request, 'id'), response);
    const { offset, limit, ...names } = readQuery(request, relationshipsQuery);
    const rows = await graph.records.relationships(parentOf(id), {
      offset,
      limit,
      entityNames: [...names.entity_names, ...names.entityNames],
      predicates: [...names.relationship_types, ...names.relationshipTypes],
    });
    await sendRows(rows, relationshipForm, { embeddings, request, response });
  });

  addGraphExports(router, graph.records, 'document');
  return router;
}

/** docs/contract.md 9: graph extraction for all documents of a collection that the caller may change. */
export function collectionExtractRoutes(services: Services): Router {
  const { graph } = services;
  const shared = createSharedCollections(services);
  const router = createRouter();
  router.post('/:id/extract', async (request, response) => {
    const by = principalOf(response);
    const { id } = await shared.get(by, readId(request, 'id'));
    const { extractor, isEstimate } = readBody(request, graphWork);
    const ids: string[] = [];
    for await (const document of eachOf((page) => shared.documents(by, id, page))) {
      if (mayChange(document, by) && document.chunkCount > 0) ids.push(document.id);
    }
    if (isEstimate) {
      response.json(single(toExtractionEstimate(await graph.estimate(ids, extractor))));
      return;
    }
    for (const document of ids) await graph.extraction.request(document, extractor);
    const message = `Graph extraction queued for ${ids.length} documents.`;
    response.json(single(toExtractionRecord(message, { documents: ids.length })));
  });
  return router;
}

const parentOf = (id: string): GraphParent => ({ kind: 'document', id });

/** The stored reason may be the message of a model's provider, which is for administrators. */
const extractionFailed = (reason: string): ServiceError =>
  new ServiceError('provider_failed', reason, {
    memberMessage:
      'The graph of this document could not be extracted. Try again later; if it still fails, tell the administrator of this server.',
  });
