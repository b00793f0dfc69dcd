import { type Response, Router } from 'express';
import type { Principal } from '../../access/principal.ts';
import { isVisible, mayChange, visibleFilter } from '../../access/visible-filter.ts';
import type { Document } from '../../documents/document.ts';
import { allOf, everything, type Filter } from '../../documents/filter.ts';
import { ServiceError } from '../../errors.ts';
import type { Corpus } from '../../store/corpus.ts';
import { principalOf } from '../authenticate.ts';
import { invalidField } from '../check-shape.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, receiveBytes } from '../read-body.ts';
import { readFlag, readId, readIds, readInteger, readPage } from '../read-query.ts';
import { sendDownload } from '../send-download.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toChunkRecord } from '../wire/chunk-record.ts';
import { deletionFilter } from '../wire/deletion-filter.ts';
import { toReceipt } from '../wire/deletion-receipt.ts';
import { toDocumentHit, toDocumentRecord } from '../wire/document-record.ts';
import { metadataList } from '../wire/metadata-list.ts';
import { searchRequest } from '../wire/search-request.ts';

/** r2r-v3.md 6.3, and ours: the extracted text of a document. Uploading is in `upload.ts`. */
export function documentRoutes({ corpus, limits }: Pick<HttpServices, 'corpus' | 'limits'>): Router {
  const router = Router();
  router.use(receiveBytes(limits.body));

  router
    .route('/')
    .get(async (request, response) => {
      const principal = principalOf(response);
      const ids = readIds(request, 'ids');
      const own = readFlag(request, 'owner_only') ? ownedBy(principal) : everything;
      const named: Filter = ids.length === 0 ? everything : { kind: 'in', field: 'document_id', values: ids };
      const found = await corpus.list(allOf(visibleFilter(principal), own, named), readPage(request));
      response.json(page(found, toDocumentRecord));
    })
    .all(onlyMethods('GET', 'POST'));

  router
    .route('/search')
    .post(async (request, response) => {
      const { query, settings } = readBody(request, searchRequest);
      const filter = allOf(visibleFilter(principalOf(response)), settings.filter);
      const { limit, offset } = settings;
      response.json(page(await corpus.searchDocuments({ text: query, filter, limit, offset }), toDocumentHit));
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
      response.json(single(toDocumentRecord(document)));
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
      const chunks = await corpus.chunksOf(id, readPage(request));
      if (chunks.total === 0) throw new ServiceError('not_found', `The document ${id} has no chunks.`);
      const wantsVectors = readFlag(request, 'include_vectors');
      const vectors = wantsVectors ? await corpus.vectorsOf(chunks.items.map((chunk) => chunk.id)) : new Map();
      response.json(page(chunks, (chunk) => toChunkRecord(chunk, vectors.get(chunk.id))));
    })
    .all(onlyMethods('GET'));

  router
    .route('/:id/download')
    .get(async (request, response) => {
      const document = await findVisible(corpus, readId(request, 'id'), response);
      const bytes = await corpus.bytesOf(document.id);
      if (bytes === undefined) throw new ServiceError('not_found', `The file of document ${document.id} is not kept.`);
      sendDownload(response, document, bytes);
    })
    .all(onlyMethods('GET'));

  router
    .route('/:id/text')
    .get(async (request, response) => {
      const document = await findVisible(corpus, readId(request, 'id'), response);
      const extracted = await corpus.textOf(document.id);
      if (extracted === undefined) {
        throw new ServiceError('not_found', `The document ${document.id} has no extracted text yet.`);
      }
      const { length } = extracted.text;
      const start = readInteger(request, 'start') ?? 0;
      const end = Math.min(readInteger(request, 'end') ?? length, length);
      if (start > end) throw invalidField('value_error', ['query', 'start'], `start must be at most ${end}.`, start);
      response.json(
        single({
          document_id: document.id,
          start,
          end,
          length,
          text: extracted.text.slice(start, end),
          pages: extracted.pages.filter((each) => each.start < end && each.end > start),
        }),
      );
    })
    .all(onlyMethods('GET'));

  return router;
}

/** A document that is there and that the one who asks may see; nobody learns whether another's exists. */
async function findVisible(corpus: Corpus, id: string, response: Response): Promise<Document> {
  const document = await corpus.get(id);
  if (document === undefined || !isVisible(document, principalOf(response))) throw noDocument(id);
  return document;
}

async function findChangeable(corpus: Corpus, id: string, response: Response): Promise<Document> {
  const document = await findVisible(corpus, id, response);
  if (mayChange(document, principalOf(response))) return document;
  throw new ServiceError('forbidden', `Only its owner changes the document ${id}.`);
}

const noDocument = (id: string) => new ServiceError('not_found', `There is no document ${id}.`);

const only = (id: string): Filter => ({ kind: 'compare', field: 'document_id', op: 'eq', value: id });

const ownedBy = ({ userId }: Principal): Filter => ({ kind: 'compare', field: 'owner_id', op: 'eq', value: userId });
