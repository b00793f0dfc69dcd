import type { Router } from 'express';
import { isUuid } from '../../documents/ids.ts';
import { documentOfSource } from '../../ingest/document-of-source.ts';
import { type UnchangedContent, unchangedContents } from '../../ingest/unchanged-contents.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { list, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readQuery, receiveBytes } from '../read-request.ts';
import { toDocumentRecord } from '../wire/document-record.ts';
import { toIngestionSettings } from '../wire/ingestion-config.ts';
import { prefixQuery, sourcePlace, sourceQuery, unchangedQuery } from '../wire/source-request.ts';
import { findChangeable } from './visible-document.ts';

type Services = Pick<HttpServices, 'corpus' | 'sources' | 'collections' | 'limits'>;

/** Additions below /documents: the caller's documents by source, for synchronisation with folders and sites. */
export function sourceRoutes({ corpus, sources, collections, limits }: Services): Router {
  const router = createRouter();

  router.get('/of-source', async (request, response) => {
    const { source } = readQuery(request, sourceQuery);
    const found = await documentOfSource(source, principalOf(response).userId, sources);
    const document = found.before === undefined ? null : toDocumentRecord(found.before, audienceOf(response));
    response.json(single({ document_id: found.id, document }));
  });

  router.get('/by-source', async (request, response) => {
    const { prefix, content_hash, after, limit } = readQuery(request, prefixQuery);
    const found = await sources.below(principalOf(response).userId, {
      prefix,
      limit,
      ...(content_hash !== undefined && { contentHash: content_hash }),
      ...(after !== undefined && { after }),
    });
    response.json(
      list(
        found.map((document) => toDocumentRecord(document, audienceOf(response))),
        found.length,
      ),
    );
  });

  router.post('/unchanged', receiveBytes(limits.body), async (request, response) => {
    const { sources: asked, metadata, collections: named } = readBody(request, unchangedQuery);
    const { userId: ownerId } = principalOf(response);
    const found = await Promise.all(
      named.map((name) => (isUuid(name) ? collections.get(name) : collections.findByName(ownerId, name))),
    );
    const collectionIds = found.flatMap((collection) => (collection === undefined ? [] : [collection.id]));
    const title = metadata['title'];
    const fields = {
      ownerId,
      metadata,
      collectionIds,
      ...(typeof title === 'string' && title.trim() !== '' && { title }),
      settings: toIngestionSettings(undefined, {}),
    };
    // No document is in a collection that does not exist yet.
    const isNew = collectionIds.length < named.length;
    const contents = isNew ? asked.map(() => undefined) : await unchangedContents(asked, fields, sources);
    response.json(list(contents.map(toUnchangedContent), contents.length));
  });

  router.put('/:id/source', receiveBytes(limits.body), async (request, response) => {
    const { id } = await findChangeable(corpus, readId(request, 'id'), response);
    const { source, file_name: fileName } = readBody(request, sourcePlace);
    response.json(single(toDocumentRecord(await sources.updateSource(id, { source, fileName }), audienceOf(response))));
  });

  return router;
}

const toUnchangedContent = (content: UnchangedContent | undefined) =>
  content === undefined
    ? null
    : { document_id: content.documentId, content_hash: content.contentHash, size_in_bytes: content.sizeInBytes };
