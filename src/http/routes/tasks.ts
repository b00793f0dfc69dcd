import type { Request, Response, Router } from 'express';
import { isVisible, mayChange, visibleFilter } from '../../access/visible-filter.ts';
import type { Document } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import type { IngestionTask } from '../../store/ingestion-queue.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readId, readQuery } from '../read-request.ts';
import { tasksQuery } from '../wire/query.ts';
import { toTaskRecord } from '../wire/task-record.ts';

type Services = Pick<HttpServices, 'corpus' | 'ingestions' | 'queue'>;

/** Additions: ingestion tasks. Visible to everyone who may see the document; its owner may cancel and retry them. */
export function taskRoutes({ corpus, ingestions, queue }: Services): Router {
  const find = async (request: Request, response: Response) => {
    const id = readId(request, 'id');
    const task = await queue.get(id);
    const document = task && (await corpus.get(task.documentId));
    if (task === undefined || document === undefined || !isVisible(document, principalOf(response))) {
      throw new ServiceError('not_found', `There is no task ${id}.`);
    }
    return { task, document };
  };
  const changeTask = (act: (task: IngestionTask) => Promise<IngestionTask>) => {
    return async (request: Request, response: Response) => {
      const { task, document } = await find(request, response);
      requireOwner(document, response);
      response.json(single(toTaskRecord(await act(task), audienceOf(response))));
    };
  };

  const router = createRouter();
  router.get('/', async (request, response) => {
    const { state: states, document_ids: documentIds, ...paging } = readQuery(request, tasksQuery);
    const query = {
      filter: visibleFilter(principalOf(response)),
      ...(states.length > 0 && { states }),
      ...(documentIds.length > 0 && { documentIds }),
    };
    response.json(page(await queue.list(query, paging), (task) => toTaskRecord(task, audienceOf(response))));
  });
  router.get('/:id', async (request, response) => {
    response.json(single(toTaskRecord((await find(request, response)).task, audienceOf(response))));
  });
  router.post('/:id/cancel', changeTask(ingestions.cancel));
  router.post('/:id/retry', changeTask(ingestions.retry));
  return router;
}

function requireOwner(document: Document, response: Response): void {
  if (mayChange(document, principalOf(response))) return;
  throw new ServiceError('forbidden', `Only its owner may retry or cancel the ingestion of document ${document.id}.`);
}
