import { type RequestHandler, Router } from 'express';
import type { Principal } from '../../access/principal.ts';
import { ServiceError } from '../../errors.ts';
import type { Ingestor } from '../../ingest/ingestor.ts';
import type { CollectionRecords } from '../../store/records.ts';
import { principalOf } from '../authenticate.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readUpload, receiveUpload } from '../receive-upload.ts';
import { stopSignal } from '../request-signal.ts';
import { readSubmission } from '../wire/submission.ts';

type Services = Pick<HttpServices, 'ingestor' | 'collections' | 'limits'>;

/** POST /documents (r2r-v3.md 6.2). */
export function uploadRoutes({ ingestor, collections, limits }: Services): Router {
  const upload: RequestHandler = async (request, response) => {
    const principal = principalOf(response);
    const submission = readSubmission(readUpload(request), principal);
    await prepareCollections(collections, submission.collectionIds, principal);
    const accepted = await ingestor.submit(submission);
    const { id } = accepted.document;
    if (accepted.kind !== 'accepted') {
      response.status(202).json(ingested(id, `The same content is already ingested as document ${id}.`));
      return;
    }
    // From here on the document is safe and is finished even if its sender leaves; only a stop interrupts it.
    await runToEnd(ingestor, id, stopSignal(request));
    response.status(202).json(ingested(id, 'Document created and ingested successfully.'));
  };
  return Router().post('/', ...receiveUpload(limits), upload);
}

const ingested = (documentId: string, message: string) => single({ message, task_id: null, document_id: documentId });

async function runToEnd(ingestor: Ingestor, documentId: string, signal: AbortSignal): Promise<void> {
  for await (const event of ingestor.run(documentId, signal)) {
    if (event.type === 'failed') throw event.error;
  }
}

/** Listed collections that are not there are made for the caller; another's are not theirs to fill. */
async function prepareCollections(
  collections: CollectionRecords,
  ids: readonly string[],
  { userId, isSuperuser, collectionIds }: Principal,
): Promise<void> {
  for (const id of ids) {
    const collection = await collections.get(id);
    if (collection === undefined) continue;
    if (!isSuperuser && collection.ownerId !== userId && !collectionIds.includes(id)) {
      throw new ServiceError('forbidden', `The collection ${id} belongs to someone else.`);
    }
  }
  // Only after every one has been found usable.
  for (const id of ids) await collections.ensure({ id, ownerId: userId, name: id });
}
