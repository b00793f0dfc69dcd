import type { Router } from 'express';
import { visibleFilter } from '../../access/visible-filter.ts';
import { allOf, everything, type Filter } from '../../documents/filter.ts';
import { ServiceError } from '../../errors.ts';
import type { Counted } from '../../store/corpus.ts';
import { onlySuperusers, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readId, readPage, readQuery, receiveBytes } from '../read-request.ts';
import { sendExport } from '../send-csv.ts';
import { sendZip } from '../send-zip.ts';
import { toCollectionRecord } from '../wire/collection-record.ts';
import { documentColumns } from '../wire/export-columns.ts';
import { zipQuery } from '../wire/zip-query.ts';
import { noDocument } from './visible-document.ts';

/** Maximum number of collections in the facets; the largest are shown. */
const MAX_COLLECTIONS = 100;

type Services = Pick<HttpServices, 'corpus' | 'collections' | 'limits'>;

/** Routes of docs/contract.md 6.3 for many documents at once, and the collections of one document. */
export function documentSetRoutes({ corpus, collections, limits }: Services): Router {
  const router = createRouter();

  router.post('/export', receiveBytes(limits.body), onlySuperusers, async (request, response) => {
    const rows = () => corpus.each(everything);
    await sendExport(request, response, { name: 'documents', columns: documentColumns, rows });
  });

  router.get('/download_zip', async (request, response) => {
    const { ids, from, until } = readQuery(request, zipQuery);
    const named: Filter = ids.length === 0 ? everything : { kind: 'in', field: 'document_id', values: ids };
    const filter = allOf(visibleFilter(principalOf(response)), named, from, until);
    if ((await corpus.list(filter, { offset: 0, limit: 1 })).total === 0) {
      throw new ServiceError('not_found', 'None of your documents matches; nothing to download.');
    }
    await sendZip(response, { documents: corpus.each(filter), bytesOf: corpus.bytesOf });
  });

  router.get('/facets', async (_request, response) => {
    const principal = principalOf(response);
    const { collections: counts, ...facets } = await corpus.facets(visibleFilter(principal));
    // Documents shared with the caller may also be in collections to which the caller has no access.
    const visibleCounts = principal.isSuperuser
      ? counts
      : counts.filter(({ value }) => principal.collectionIds.includes(value));
    response.json(single({ ...facets, collections: await withNames(visibleCounts) }));
  });

  // The contract requires a superuser, although every reader of a document sees its `collection_ids`.
  router.get('/:id/collections', onlySuperusers, async (request, response) => {
    const id = readId(request, 'id');
    const document = await corpus.get(id);
    if (document === undefined) throw noDocument(id);
    const ids = document.collectionIds;
    const found = ids.length === 0 ? { items: [], total: 0 } : await collections.list({ ids, ...readPage(request) });
    response.json(page(found, toCollectionRecord));
  });

  const withNames = async (counts: readonly Counted<string>[]) => {
    const shown = counts.slice(0, MAX_COLLECTIONS);
    if (shown.length === 0) return [];
    const ids = shown.map(({ value }) => value);
    const { items } = await collections.list({ ids, offset: 0, limit: MAX_COLLECTIONS });
    const names = new Map(items.map(({ id, name }) => [id, name]));
    return shown.map(({ value, count }) => ({ id: value, name: names.get(value) ?? value, count }));
  };

  return router;
}
