import type { Router } from 'express';
import { deleteDocuments } from '../../access/delete-documents.ts';
import { mayChange, visibleFilter } from '../../access/visible-filter.ts';
import type { Document } from '../../documents/document.ts';
import { allOf, everything, isDocument, ownedBy } from '../../documents/filter.ts';
import { descriptionText } from '../../embeddings/description-text.ts';
import { embedInBatches } from '../../embeddings/embed-in-batches.ts';
import { ServiceError } from '../../errors.ts';
import type { Corpus, CorpusView } from '../../store/corpus.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { invalidField } from '../check-shape.ts';
import { createRouter } from '../create-router.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { bodyText, readBody, readId, readQuery, receiveBytes } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { sendDownload } from '../send-download.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toChunkRecord } from '../wire/chunk-record.ts';
import { deletionFilter } from '../wire/deletion-filter.ts';
import { deletionList, toListReceipt } from '../wire/deletion-list.ts';
import { toReceipt } from '../wire/deletion-receipt.ts';
import { toDescribedRecord, toDocumentHit, toDocumentRecord } from '../wire/document-record.ts';
import { metadataList } from '../wire/metadata-list.ts';
import {
  asOfQuery,
  documentChunksQuery,
  documentsQuery,
  textQuery,
  toDocumentOrder,
  toListFilter,
} from '../wire/query.ts';
import { searchRequest } from '../wire/search-request.ts';
import { toTextRecord } from '../wire/text-record.ts';
import { findChangeable, findReadable, findThen, findVisible, noDocument } from './visible-document.ts';

type DocumentServices = Pick<HttpServices, 'corpus' | 'versions' | 'descriptions' | 'embeddings' | 'limits'>;

/** docs/contract.md 6.3, and the extracted text of a document (addition). Uploads are in `upload.ts`. */
export function documentRoutes({ corpus, versions, descriptions, embeddings, limits }: DocumentServices): Router {
  const router = createRouter();
  router.use(receiveBytes(limits.body));

  router
    .route('/')
    .get(async (request, response) => {
      const principal = principalOf(response);
      const query = readQuery(request, documentsQuery);
      const { offset, limit, include_summary_embeddings: withEmbeddings } = query;
      const own = query.owner_only ? ownedBy(principal.userId) : everything;
      const filter = allOf(visibleFilter(principal), own, toListFilter(query));
      const found = await corpus.list(filter, { offset, limit, order: toDocumentOrder(query) });
      const vectors = withEmbeddings
        ? await summaryVectors(found.items, { descriptions, embeddings }, requestSignal(request, response))
        : undefined;
      response.json(
        page(found, (document) => toDescribedRecord(document, vectors?.get(document.id), audienceOf(response))),
      );
    })
    .all(onlyMethods('GET', 'POST'));

  router.post('/search', async (request, response) => {
    const { query, settings } = readBody(request, searchRequest);
    const filter = allOf(visibleFilter(principalOf(response)), settings.filter);
    const { limit, offset, kind, hybrid } = settings;
    const view = viewAt(corpus, settings.asOf);
    const signal = requestSignal(request, response);
    const documentQuery = {
      text: query,
      filter,
      limit,
      offset,
      signal,
      ...(kind && { kind }),
      ...(hybrid && { hybrid }),
    };
    const found = await view.searchDocuments(documentQuery);
    response.json(page(found, (document) => toDocumentHit(document, audienceOf(response))));
  });

  router.delete('/by-filter', async (request, response) => {
    const filter = readBody(request, deletionFilter);
    // The contract limits this to the caller's own documents, even for superusers.
    response.json(toReceipt(await corpus.remove(allOf(ownedBy(principalOf(response).userId), filter))));
  });

  router.post('/delete', async (request, response) => {
    const { document_ids: ids } = readBody(request, deletionList);
    response.json(toListReceipt(await deleteDocuments(corpus, ids, principalOf(response))));
  });

  router.get('/:id', async (request, response) => {
    const document = await findVisible(corpus, readId(request, 'id'), response);
    const { as_of: asOf } = readQuery(request, asOfQuery);
    response.json(single(toDocumentRecord(await findThen(corpus, document, asOf), audienceOf(response))));
  });

  router.delete('/:id', async (request, response) => {
    const document = await findVisible(corpus, readId(request, 'id'), response);
    if (!mayChange(document, principalOf(response))) throw noDocument(document.id);
    response.json(toReceipt(await corpus.remove(isDocument(document.id))));
  });

  router.patch('/:id/metadata', async (request, response) => {
    const document = await findChangeable(corpus, readId(request, 'id'), response);
    const changed = await corpus.setMetadata(document.id, readBody(request, metadataList), 'merge');
    response.json(single(toDocumentRecord(changed, audienceOf(response))));
  });

  router.put('/:id/metadata', async (request, response) => {
    const document = await findChangeable(corpus, readId(request, 'id'), response);
    // An empty body, which counts as `{}` elsewhere, would delete all metadata.
    if (bodyText(request).trim() === '')
      throw invalidField('missing', ['body'], 'Field required: a list of objects, or [] to remove all metadata.');
    const changed = await corpus.setMetadata(document.id, readBody(request, metadataList), 'replace');
    // Exactly the metadata that was sent, without the `version` that `toDocumentRecord` adds.
    response.json(single({ ...toDocumentRecord(changed, audienceOf(response)), metadata: changed.metadata }));
  });

  router.get('/:id/chunks', async (request, response) => {
    const { id } = await findReadable(corpus, readId(request, 'id'), response);
    const { as_of: asOf, include_vectors: withVectors, ...paging } = readQuery(request, documentChunksQuery);
    const chunks = await viewAt(corpus, asOf).chunksOf(id, paging);
    if (chunks.total === 0) throw new ServiceError('not_found', `The document ${id} has no chunks.`);
    const ids = withVectors ? chunks.items.map((chunk) => chunk.id) : [];
    const vectors = asOf === undefined ? await corpus.vectorsOf(ids) : await versions.vectorsOf(id, { asOf }, ids);
    response.json(page(chunks, (chunk) => toChunkRecord(chunk, vectors.get(chunk.id))));
  });

  router.get('/:id/download', async (request, response) => {
    const { as_of: asOf } = readQuery(request, asOfQuery);
    const document = await findThen(corpus, await findReadable(corpus, readId(request, 'id'), response), asOf);
    const original = await viewAt(corpus, asOf).originalOf(document.id);
    if (original === undefined)
      throw new ServiceError('not_found', `The file of document ${document.id} is not stored.`);
    await sendDownload(response, document, original);
  });

  router.get('/:id/text', async (request, response) => {
    const document = await findVisible(corpus, readId(request, 'id'), response);
    const { as_of: asOf, ...range } = readQuery(request, textQuery);
    const extracted = await viewAt(corpus, asOf).textOf(document.id);
    if (extracted === undefined) {
      throw new ServiceError('not_found', `The document ${document.id} has no extracted text yet.`);
    }
    response.json(single(toTextRecord(document.id, extracted, range)));
  });

  return router;
}

const viewAt = (corpus: Corpus, asOf: string | undefined): CorpusView =>
  asOf === undefined ? corpus : corpus.at(asOf);

/** Vectors of titles and summaries by document id; those that are not stored are embedded now. */
async function summaryVectors(
  documents: readonly Document[],
  {
    descriptions,
    embeddings,
  }: { readonly descriptions: HttpServices['descriptions'] | undefined } & Pick<HttpServices, 'embeddings'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Float32Array>> {
  const described = documents.filter(({ summary }) => summary !== null);
  const kept = await descriptions?.vectorsOf(described.map(({ id }) => id));
  const bare = described.filter(({ id }) => kept?.has(id) !== true);
  const made = await embedInBatches(embeddings, bare.map(descriptionText), { kind: 'passage', signal });
  const vectors = new Map(kept);
  for (const [index, { id }] of bare.entries()) {
    const vector = made[index];
    if (vector !== undefined) vectors.set(id, vector);
  }
  return vectors;
}
