import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { checkShape } from '../check-shape.ts';
import { createRouter } from '../create-router.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readId, readPage, readQuery } from '../read-request.ts';
import { sendDownload } from '../send-download.ts';
import { toChunkRecord } from '../wire/chunk-record.ts';
import { toDocumentRecord } from '../wire/document-record.ts';
import { chunksQuery, rangeQuery } from '../wire/query.ts';
import { toTextRecord } from '../wire/text-record.ts';
import { toDifferenceRecord, toVersionRecord } from '../wire/version-record.ts';
import { findChangeable } from './visible-document.ts';

/** Additions: the versions of a document, for its owner. */
export function versionRoutes({ corpus, versions }: Pick<HttpServices, 'corpus' | 'versions'>): Router {
  const router = createRouter();
  const owned = async (request: Request, response: Response): Promise<string> =>
    (await findChangeable(corpus, readId(request, 'id'), response)).id;
  const requestedVersion = async (request: Request, response: Response) => ({
    id: await owned(request, response),
    version: readLabel(request, 'version'),
  });

  router.get('/:id/versions', async (request, response) => {
    const id = await owned(request, response);
    response.json(page(await versions.list(id, readPage(request)), (version) => toVersionRecord(id, version)));
  });

  router.get('/:id/versions/:version', async (request, response) => {
    const { id, version } = await requestedVersion(request, response);
    response.json(single(toDocumentRecord(found(await versions.document(id, { version }), id, version))));
  });

  router.get('/:id/versions/:version/text', async (request, response) => {
    const { id, version } = await requestedVersion(request, response);
    const extracted = found(await versions.textOf(id, { version }), id, version);
    response.json(single({ ...toTextRecord(id, extracted, readQuery(request, rangeQuery)), version }));
  });

  router.get('/:id/versions/:version/chunks', async (request, response) => {
    const { id, version } = await requestedVersion(request, response);
    found(await versions.document(id, { version }), id, version);
    const { include_vectors: withVectors, ...paging } = readQuery(request, chunksQuery);
    const chunks = await versions.chunksOf(id, { version }, paging);
    const ids = withVectors ? chunks.items.map((chunk) => chunk.id) : [];
    const vectors = await versions.vectorsOf(id, { version }, ids);
    response.json(page(chunks, (chunk) => toChunkRecord(chunk, vectors.get(chunk.id))));
  });

  router.get('/:id/versions/:version/download', async (request, response) => {
    const { id, version } = await requestedVersion(request, response);
    const document = found(await versions.document(id, { version }), id, version);
    await sendDownload(response, document, found(await versions.originalOf(id, { version }), id, version));
  });

  router.post('/:id/versions/:version/restore', async (request, response) => {
    const { id, version } = await requestedVersion(request, response);
    response.json(single(toDocumentRecord(await versions.restore(id, version))));
  });

  router.get('/:id/versions/:version/diff/:other', async (request, response) => {
    const { id, version } = await requestedVersion(request, response);
    const other = readLabel(request, 'other');
    const difference = await versions.diff(id, version, other);
    response.json(single(toDifferenceRecord(id, found(difference, id, `${version} or ${other}`))));
  });

  return router;
}

const label = z.string().regex(/^v\d{1,9}$/, 'expected the label of a version such as v0');

const readLabel = (request: Request, name: string): string =>
  checkShape(z.object({ [name]: label }), request.params, 'path')[name] ?? '';

function found<T>(value: T | undefined, id: string, version: string): T {
  if (value !== undefined) return value;
  throw new ServiceError('not_found', `There is no version ${version} of document ${id}, or it is no longer stored.`);
}
