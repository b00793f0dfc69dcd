import type { Router } from 'express';
import { changeCollectionDocument, changeCollectionDocuments } from '../../access/change-collection-documents.ts';
import { createSharedCollections } from '../../access/shared-collections.ts';
import { describeCollection } from '../../rag/describe-collection.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { describeMembers } from '../describe-user.ts';
import { list, page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readPage, readQuery } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { eachOf, sendExport } from '../send-csv.ts';
import {
  collectionChange,
  documentChanges,
  newCollection,
  ownerQuery,
  toChangedDocuments,
  toCollectionRecord,
} from '../wire/collection-record.ts';
import { toDocumentRecord } from '../wire/document-record.ts';
import { collectionColumns } from '../wire/export-columns.ts';
import { documentPageQuery, ownedQuery, toDocumentOrder } from '../wire/query.ts';
import { defined } from '../wire/tolerant.ts';

type Services = Pick<HttpServices, 'collections' | 'corpus' | 'accounts' | 'models' | 'prompts'>;

/** docs/contract.md 9. The extraction route is in `document-graphs.ts`. */
export function collectionRoutes(services: Services): Router {
  const { accounts, models, prompts } = services;
  const shared = createSharedCollections(services);
  const router = createRouter();

  router.post('/', async (request, response) => {
    const created = await shared.create(principalOf(response), defined(readBody(request, newCollection)));
    response.json(single(toCollectionRecord(created)));
  });

  router.get('/', async (request, response) => {
    const { owner_only: ownerOnly, ...query } = readQuery(request, ownedQuery);
    response.json(page(await shared.list(principalOf(response), { ...query, ownerOnly }), toCollectionRecord));
  });

  router.post('/export', async (request, response) => {
    const by = principalOf(response);
    const rows = () => eachOf((part) => shared.list(by, { ids: [], ownerOnly: false, ...part }));
    await sendExport(request, response, { name: 'collections', columns: collectionColumns, rows });
  });

  router.get('/name/:name', async (request, response) => {
    const { owner_id: ownerId } = readQuery(request, ownerQuery);
    const found = await shared.findByName(principalOf(response), request.params.name, ownerId);
    response.json(single(toCollectionRecord(found)));
  });

  router.get('/:id', async (request, response) => {
    response.json(single(toCollectionRecord(await shared.get(principalOf(response), readId(request, 'id')))));
  });

  router.post('/:id', async (request, response) => {
    const by = principalOf(response);
    const id = readId(request, 'id');
    const { generates, ...given } = readBody(request, collectionChange);
    const collection = await shared.require(by, id);
    const description = generates
      ? await describeCollection({
          name: given.name ?? collection.name,
          documents: await shared.documents(by, id, { offset: 0, limit: 100 }),
          models,
          prompts,
          signal: requestSignal(request, response),
        })
      : given.description;
    const changed = await shared.update(by, id, defined({ name: given.name, description }));
    response.json(single(toCollectionRecord(changed)));
  });

  router.delete('/:id', async (request, response) => {
    const { documents, users } = await shared.remove(principalOf(response), readId(request, 'id'));
    response.json(single({ success: true, documents_kept: documents, members: users }));
  });

  router.get('/:id/documents', async (request, response) => {
    const { offset, limit, ...order } = readQuery(request, documentPageQuery);
    const wanted = { offset, limit, order: toDocumentOrder(order) };
    const found = await shared.documents(principalOf(response), readId(request, 'id'), wanted);
    response.json(page(found, (document) => toDocumentRecord(document, audienceOf(response))));
  });

  router.post('/:id/documents', async (request, response) => {
    const by = principalOf(response);
    const place = { by, id: readId(request, 'id'), signal: requestSignal(request, response) };
    const changed = await changeCollectionDocuments(shared, place, readBody(request, documentChanges));
    response.json(single(toChangedDocuments(changed)));
  });

  router.post('/:id/documents/:documentId', async (request, response) => {
    const [id, documentId] = [readId(request, 'id'), readId(request, 'documentId')];
    await changeCollectionDocument(shared, { by: principalOf(response), id }, { add: documentId });
    response.json(single({ message: 'Document added to the collection.' }));
  });

  router.delete('/:id/documents/:documentId', async (request, response) => {
    const [id, documentId] = [readId(request, 'id'), readId(request, 'documentId')];
    await changeCollectionDocument(shared, { by: principalOf(response), id }, { remove: documentId });
    response.json(single({ success: true }));
  });

  router.get('/:id/users', async (request, response) => {
    const members = await shared.members(principalOf(response), readId(request, 'id'), readPage(request));
    response.json(list(await describeMembers(members.items, services), members.total));
  });

  router.post('/:id/users/:userId', async (request, response) => {
    await accounts.memberships.add(principalOf(response), readId(request, 'id'), readId(request, 'userId'));
    response.json(single({ success: true }));
  });

  router.delete('/:id/users/:userId', async (request, response) => {
    await accounts.memberships.remove(principalOf(response), readId(request, 'id'), readId(request, 'userId'));
    response.json(single({ success: true }));
  });

  return router;
}
