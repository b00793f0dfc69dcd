import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { findCollections } from '../../access/usable-collections.ts';
import { isVisible, mayChange } from '../../access/visible-filter.ts';
import type { Chunk } from '../../documents/chunk.ts';
import { allOf, everything, type Filter, ownedBy } from '../../documents/filter.ts';
import { readFilter } from '../../documents/read-filter.ts';
import { ServiceError } from '../../errors.ts';
import { editChunk } from '../../ingest/edit-chunk.ts';
import type { Submission } from '../../ingest/ingestor.ts';
import { visibleTo } from '../../retrieval/visible-to.ts';
import { principalOf } from '../authenticate.ts';
import { invalidField } from '../check-shape.ts';
import { createRouter } from '../create-router.ts';
import { list, page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { parseJson, readBody, readId, readQuery } from '../read-request.ts';
import { requestSignal, stopSignal } from '../request-signal.ts';
import { toChunkHit, toChunkRecord } from '../wire/chunk-record.ts';
import { chunkEdit, newChunks } from '../wire/chunk-request.ts';
import { toReceipt } from '../wire/deletion-receipt.ts';
import { toIngestionRecord } from '../wire/ingestion-record.ts';
import { allChunksQuery, vectorsQuery } from '../wire/query.ts';
import { searchRequest } from '../wire/search-request.ts';
import { runToEnd } from './upload.ts';

type Services = Pick<HttpServices, 'corpus' | 'collections' | 'embeddings' | 'ingestor' | 'retriever'>;

/** docs/contract.md 7. */
export function chunkRoutes(services: Services): Router {
  const { corpus, embeddings, retriever } = services;
  const router = createRouter();

  const findChunk = async (request: Request): Promise<Chunk> => {
    const id = readId(request, 'id');
    const [chunk] = await corpus.chunksById([id]);
    if (chunk === undefined) throw new ServiceError('not_found', `There is no chunk ${id}.`);
    return chunk;
  };
  const findChangeableChunk = async (request: Request, response: Response): Promise<Chunk> => {
    const chunk = await findChunk(request);
    if (mayChange(chunk, principalOf(response))) return chunk;
    throw new ServiceError('forbidden', `Only its owner may change the chunk ${chunk.id}.`);
  };

  router.get('/', async (request, response) => {
    const { userId, isSuperuser } = principalOf(response);
    const own = isSuperuser ? everything : ownedBy(userId);
    const {
      include_vectors: withVectors,
      metadata_filter,
      metadata_filters,
      ...paging
    } = readQuery(request, allChunksQuery);
    const chunks = await corpus.listChunks(allOf(own, metadataFilter(metadata_filter ?? metadata_filters)), paging);
    const ids = withVectors ? chunks.items.map(({ id }) => id) : [];
    const vectors = await corpus.vectorsOf(ids);
    response.json(page(chunks, (chunk) => toChunkRecord(chunk, vectors.get(chunk.id))));
  });

  router.post('/', async (request, response) => {
    const principal = principalOf(response);
    const ingested = [];
    for (const chunks of readBody(request, newChunks)) {
      const id = await ingestChunks(chunks, principal, services, stopSignal(request));
      ingested.push(toIngestionRecord(id, 'Chunks ingested successfully.'));
    }
    response.json(single(ingested));
  });

  router.post('/search', async (request, response) => {
    const { query, settings, detail } = readBody(request, searchRequest);
    const visible = visibleTo(principalOf(response), settings);
    const found = await retriever.search(query, visible, requestSignal(request, response));
    const { kind } = found.explanation;
    const hits = found.chunks.map((chunk) => toChunkHit(chunk, { query, kind, detail }));
    response.json(list(hits, hits.length));
  });

  router.get('/:id', async (request, response) => {
    const chunk = await findChunk(request);
    // The contract requires 403 for another user's chunk.
    if (!isVisible(chunk, principalOf(response))) {
      throw new ServiceError('forbidden', `You do not have permission to read the chunk ${chunk.id}.`);
    }
    const { include_vectors: withVectors } = readQuery(request, vectorsQuery);
    const vectors = withVectors ? await corpus.vectorsOf([chunk.id]) : undefined;
    response.json(single(toChunkRecord(chunk, vectors?.get(chunk.id))));
  });

  router.post('/:id', async (request, response) => {
    const chunk = await findChangeableChunk(request, response);
    const { id, text, metadata } = readBody(request, chunkEdit);
    if (id !== undefined && id !== chunk.id)
      throw invalidField('value_error', ['body', 'id'], `This is not the chunk of the address, ${chunk.id}.`, id);
    const edit = { ...(text !== undefined && { text }), ...(metadata !== undefined && { metadata }) };
    const edited = await editChunk({ corpus, embeddings }, chunk, edit, requestSignal(request, response));
    response.json(single(toChunkRecord(edited, undefined)));
  });

  router.delete('/:id', async (request, response) => {
    const chunk = await findChangeableChunk(request, response);
    response.json(toReceipt(await corpus.removeChunk(chunk.id)));
  });

  return router;
}

/** Ingests the chunks of one document, with their metadata. Returns the identifier of the document. */
async function ingestChunks(
  chunks: z.output<typeof newChunks>[number],
  principal: Principal,
  { corpus, collections, ingestor }: Services,
  signal: AbortSignal,
): Promise<string> {
  const named = chunks.flatMap((chunk) => chunk.collection_ids ?? []);
  const { ids: collectionIds, missing: newCollections } = await findCollections(collections, principal, named);
  const submission: Submission = {
    content: { kind: 'chunks', chunks: chunks.map(({ text }) => text) },
    ownerId: principal.userId,
    ...(chunks[0]?.document_id === undefined ? {} : { id: chunks[0].document_id }),
    metadata: {},
    collectionIds,
    newCollections,
    settings: {},
  };
  const accepted = await ingestor.submit(submission, { isAwaited: true });
  const { id } = accepted.document;
  if (accepted.kind !== 'accepted') return id;
  await runToEnd(ingestor, id, signal);
  const { items } = await corpus.chunksOf(id, { offset: 0, limit: chunks.length });
  for (const chunk of items) {
    const { metadata } = chunks[chunk.order] ?? {};
    if (metadata !== undefined) await corpus.editChunk(chunk.id, { metadata });
  }
  return id;
}

/** A filter as JSON in the query; r2r-js sends "[object Object]", which the contract treats as no filter. */
function metadataFilter(given: unknown): Filter {
  if (typeof given !== 'string' || !given.trim().startsWith('{')) return everything;
  return readFilter(parseJson(given, ['query', 'metadata_filter']));
}
