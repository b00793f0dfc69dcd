import { Router } from 'express';
import type { Principal } from '../../access/principal.ts';
import { isVisible, mayChange, visibleFilter } from '../../access/visible-filter.ts';
import { allOf, everything, type Filter } from '../../documents/filter.ts';
import { ServiceError } from '../../errors.ts';
import type { Corpus, CorpusView } from '../../store/corpus.ts';
import { principalOf } from '../authenticate.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, receiveBytes } from '../read-body.ts';
import { readId, readQuery } from '../read-query.ts';
import { requestSignal } from '../request-signal.ts';
import { sendDownload } from '../send-download.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toChunkRecord } from '../wire/chunk-record.ts';
import { deletionFilter } from '../wire/deletion-filter.ts';
import { toReceipt } from '../wire/deletion-receipt.ts';
import { toDescribedRecord, toDocumentHit, toDocumentRecord } from '../wire/document-record.ts';
import { metadataList } from '../wire/metadata-list.ts';
import { asOfQuery, documentChunksQuery, documentsQuery, textQuery } from '../wire/query.ts';
import { searchRequest } from '../wire/search-request.ts';
import { toTextRecord } from '../wire/text-record.ts';
import { summaryVectors } from './summary-vectors.ts';
import { findChangeable, findThen, findVisible, noDocument } from './visible-document.ts';

type DocumentServices = Pick<HttpServices, 'corpus' | 'versions' | 'descriptions' | 'embeddings' | 'limits'>;

/** r2r-v3.md 6.3, and ours: the extracted text of a document. Uploading is in `upload.ts`. */
export function documentRoutes({ corpus, versions, descriptions, embeddings, limits }: DocumentServices): Router {
  const router = Router();
  router.use(receiveBytes(limits.body));

  router
    .route('/')
    .get(async (request, response) => {
      const principal = principalOf(response);
      const query = readQuery(request, documentsQuery);
      const { ids, owner_only: ownerOnly, include_summary_embeddings: withEmbeddings, ...paging } = query;
      const own = ownerOnly ? ownedBy(principal) : everything;
      const named: Filter = ids.length === 0 ? everything : { kind: 'in', field: 'document_id', values: ids };
      const found = await corpus.list(allOf(visibleFilter(principal), own, named), paging);
      const vectors = withEmbeddings
        ? await summaryVectors(found.items, { descriptions, embeddings }, requestSignal(request, response))
        : undefined;
      response.json(page(found, (document) => toDescribedRecord(document, vectors?.get(document.id))));
    })
    .all(onlyMethods('GET', 'POST'));

  router
    .route('/search')
    .post(async (request, response) => {
      const { query, settings } = readBody(request, searchRequest);
      const filter = allOf(visibleFilter(principalOf(response)), settings.filter);
      const { limit, offset, kind, hybrid } = settings;
      const view = viewAt(corpus, settings.asOf);
      const signal = requestSignal(request, response);
      const asked = { text: query, filter, limit, offset, signal, ...(kind && { kind }), ...(hybrid && { hybrid }) };
      response.json(page(await view.searchDocuments(asked), toDocumentHit));
    })
    .all(onlyMethods('POST'));

  router
    .route('/by-filter')
    .delete(async (request, response) => {
      const filter = readBody(request, deletionFilter);
      // Only one's own, by contract, whoever asks.
      response.json(toReceipt(await corpus.remove(allOf(ownedBy(principalOf(response)), filter))));
    })
    .all(onlyMethods('DELETE'));

  router
    .route('/:id')
    .get(async (request, response) => {
      const document = await findVisible(corpus, readId(request, 'id'), response);
      const { as_of: asOf } = readQuery(request, asOfQuery);
      response.json(single(toDocumentRecord(await findThen(corpus, document, asOf))));
    })
    .delete(async (request, response) => {
      const document = await findVisible(corpus, readId(request, 'id'), response);
      if (!mayChange(document, principalOf(response))) throw noDocument(document.id);
      response.json(toReceipt(await corpus.remove(only(document.id))));
    })
    .all(onlyMethods('GET', 'DELETE'));

  router
    .route('/:id/metadata')
    .patch(async (request, response) => {
      const document = await findChangeable(corpus, readId(request, 'id'), response);
      const changed = await corpus.setMetadata(document.id, readBody(request, metadataList), 'merge');
      response.json(single(toDocumentRecord(changed)));
    })
    .put(async (request, response) => {
      const document = await findChangeable(corpus, readId(request, 'id'), response);
      const changed = await corpus.setMetadata(document.id, readBody(request, metadataList), 'replace');
      response.json(single(toDocumentRecord(changed)));
    })
    .all(onlyMethods('PATCH', 'PUT'));

  router
    .route('/:id/chunks')
    .get(async (request, response) => {
      const id = readId(request, 'id');
      const document = await corpus.get(id);
      if (document === undefined) throw noDocument(id);
      if (!isVisible(document, principalOf(response))) {
        throw new ServiceError('forbidden', `The chunks of document ${id} are not yours to read.`);
      }
      const { as_of: asOf, include_vectors: withVectors, ...paging } = readQuery(request, documentChunksQuery);
      const chunks = await viewAt(corpus, asOf).chunksOf(id, paging);
      if (chunks.total === 0) throw new ServiceError('not_found', `The document ${id} has no chunks.`);
      const ids = withVectors ? chunks.items.map((chunk) => chunk.id) : [];
      const vectors = asOf === undefined ? await corpus.vectorsOf(ids) : await versions.vectorsOf(id, { asOf }, ids);
      response.json(page(chunks, (chunk) => toChunkRecord(chunk, vectors.get(chunk.id))));
    })
    .all(onlyMethods('GET'));

  router
    .route('/:id/download')
    .get(async (request, response) => {
      const { as_of: asOf } = readQuery(request, asOfQuery);
      const document = await findThen(corpus, await findVisible(corpus, readId(request, 'id'), response), asOf);
      const bytes = await viewAt(corpus, asOf).bytesOf(document.id);
      if (bytes === undefined) throw new ServiceError('not_found', `The file of document ${document.id} is not kept.`);
      sendDownload(response, document, bytes);
    })
    .all(onlyMethods('GET'));

  router
    .route('/:id/text')
    .get(async (request, response) => {
      const document = await findVisible(corpus, readId(request, 'id'), response);
      const { as_of: asOf, ...stretch } = readQuery(request, textQuery);
      const extracted = await viewAt(corpus, asOf).textOf(document.id);
      if (extracted === undefined) {
        throw new ServiceError('not_found', `The document ${document.id} has no extracted text yet.`);
      }
      response.json(single(toTextRecord(document.id, extracted, stretch)));
    })
    .all(onlyMethods('GET'));

  return router;
}

const viewAt = (corpus: Corpus, asOf: string | undefined): CorpusView =>
  asOf === undefined ? corpus : corpus.at(asOf);

const only = (id: string): Filter => ({ kind: 'compare', field: 'document_id', op: 'eq', value: id });

const ownedBy = ({ userId }: Principal): Filter => ({ kind: 'compare', field: 'owner_id', op: 'eq', value: userId });
