import type { Router } from 'express';
import { visibleFilter } from '../../access/visible-filter.ts';
import { ownedBy } from '../../documents/filter.ts';
import type { Audience } from '../../errors.ts';
import type { FollowedEvent } from '../../ingest/follow-ingestion.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readId, readQuery } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { type ServerSentEvent, sendEvents, streamOptions } from '../sse.ts';
import { afterQuery, retryQuery } from '../wire/query.ts';
import { toIngestionEvent } from '../wire/task-record.ts';
import { findVisible } from './visible-document.ts';

type Services = Pick<HttpServices, 'corpus' | 'ingestions' | 'limits' | 'log'>;

/** Additions below /documents: progress events of an ingestion, and a retry of all failed documents. */
export function ingestionRoutes({ corpus, ingestions, limits, log }: Services): Router {
  const router = createRouter();
  router.post('/retry-failed', async (request, response) => {
    const principal = principalOf(response);
    // A superuser retries only their own documents unless all are requested.
    const isAll = principal.isSuperuser && readQuery(request, retryQuery).all_owners;
    const filter = isAll ? visibleFilter(principal) : ownedBy(principal.userId);
    response.status(202).json(single({ retried: await ingestions.retryFailed(filter) }));
  });
  router.get('/:id/events', async (request, response) => {
    const document = await findVisible(corpus, readId(request, 'id'), response);
    const last = request.get('last-event-id') ?? readQuery(request, afterQuery).after;
    const signal = requestSignal(request, response);
    const events = encoded(ingestions.follow(document, last, signal), {
      id: document.id,
      audience: audienceOf(response),
    });
    await sendEvents(response, events, streamOptions(response, signal, { limits, log }));
  });
  return router;
}

async function* encoded(
  events: AsyncIterable<FollowedEvent>,
  { id, audience }: { readonly id: string; readonly audience: Audience },
): AsyncGenerator<ServerSentEvent, void> {
  for await (const event of events) yield toIngestionEvent(event, id, audience);
}
