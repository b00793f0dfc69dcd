import { type Request, type RequestHandler, type Response, Router } from 'express';
import { findCollections } from '../../access/usable-collections.ts';
import type { Ingestor } from '../../ingest/ingestor.ts';
import { principalOf } from '../authenticate.ts';
import { single } from '../envelope.ts';
import { fetchUpload } from '../fetch-upload.ts';
import type { HttpServices } from '../http-services.ts';
import { readUpload, receiveUpload } from '../receive-upload.ts';
import { requestSignal, stopSignal } from '../request-signal.ts';
import { toIngestionEstimate, toIngestionRecord } from '../wire/ingestion-record.ts';
import { readSubmission, readUrl } from '../wire/submission.ts';

type Services = Pick<
  HttpServices,
  | 'ingestor'
  | 'ingestions'
  | 'queue'
  | 'collections'
  | 'limits'
  | 'maxFileBytes'
  | 'uploadFolder'
  | 'corpus'
  | 'sources'
  | 'web'
>;

/** POST /documents (docs/contract.md 6.2). */
export function uploadRoutes(services: Services): Router {
  const { ingestor, ingestions, queue, collections } = services;

  /** Estimates or accepts the upload. The result does not reference the content, which may be large. */
  async function take(request: Request, response: Response) {
    const principal = principalOf(response);
    const received = await readUpload(request);
    const url = readUrl(received);
    const signal = requestSignal(request, response);
    const content =
      url === undefined
        ? received
        : await fetchUpload(received, url, { ...services, ownerId: principal.userId, signal });
    const { submission, isOrchestrated, isQueued, isEstimate, note } = readSubmission(content, principal);
    // An estimate creates no collections.
    if (isEstimate) return { kind: 'estimate', estimate: await ingestor.estimate(submission, signal) } as const;
    const { ids, missing } = await findCollections(collections, principal, submission.collectionIds);
    const named = { ...submission, collectionIds: ids, newCollections: missing };
    // R2R's Python client always asks for orchestration, but expects the document in its next call.
    const queued = isQueued ?? (ingestions.queuesByDefault && (isOrchestrated ?? true));
    // Without the queue, the response is sent when the document is published.
    const accepted = await ingestor.submit(named, { queued, isAwaited: !queued });
    return { kind: accepted.kind, id: accepted.document.id, queued, note } as const;
  }

  const upload: RequestHandler = async (request, response) => {
    const taken = await take(request, response);
    const send = (record: object) => response.status(202).json(single(record));
    if (taken.kind === 'estimate') {
      send(toIngestionEstimate(taken.estimate));
      return;
    }
    const { kind, id, queued, note } = taken;
    if (kind !== 'accepted') {
      send(toIngestionRecord(id, `The same content is already ingested as document ${id}.`));
    } else if (queued) {
      ingestions.wakeUp();
      const task = await queue.ofDocument(id);
      send(toIngestionRecord(id, withNote('Ingest files task queued successfully.', note), task?.id));
    } else {
      // An accepted document is ingested to the end even if the caller disconnects; only a shutdown interrupts it.
      await runToEnd(ingestor, id, stopSignal(request));
      send(toIngestionRecord(id, withNote('Document created and ingested successfully.', note)));
    }
  };
  return Router().post('/', ...receiveUpload(services), upload);
}

const withNote = (message: string, note: string | undefined): string =>
  note === undefined ? message : `${message} ${note}`;

/** Ingests the submitted document and waits for the end. Throws the error of a failed ingestion. */
export async function runToEnd(ingestor: Ingestor, documentId: string, signal: AbortSignal): Promise<void> {
  for await (const event of ingestor.run(documentId, signal)) {
    if (event.type === 'failed') throw event.error;
  }
}
