import type { Router } from 'express';
import { fromMemory } from '../../store/originals/original.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { lastEventNumber, streamRun } from '../run-stream.ts';
import { sendDownload } from '../send-download.ts';
import { toRunRecord } from '../wire/run-record.ts';

/** Additions: resuming and cancelling streams of /rag and /agent, and the files that their tools made. */
export function runRoutes({
  runs,
  madeFiles,
  ...services
}: Pick<HttpServices, 'runs' | 'madeFiles' | 'limits' | 'log'>): Router {
  const router = createRouter();
  router.get('/', async (_request, response) => {
    const records = (await runs.list(principalOf(response).userId)).map(toRunRecord);
    response.json({ results: records, total_entries: records.length });
  });
  router.get('/:id', async (request, response) => {
    const run = await runs.get(request.params.id, principalOf(response).userId);
    response.json(single(toRunRecord(await run.readRecord())));
  });
  router.get('/:id/events', async (request, response) => {
    const run = await runs.get(request.params.id, principalOf(response).userId);
    await streamRun(request, response, services, { run, after: lastEventNumber(request, run.id) });
  });
  router.post('/:id/cancel', async (request, response) => {
    const run = await runs.get(request.params.id, principalOf(response).userId);
    await run.cancel();
    response.json(single(toRunRecord(await run.readRecord())));
  });
  router.get('/:id/files/*name', async (request, response) => {
    // Express splits the path at slashes.
    const name = request.params.name.join('/');
    const file = await madeFiles.get(principalOf(response).userId, request.params.id, name);
    const { mediaType, bytes, contentHash } = file;
    await sendDownload(
      response,
      { mediaType, contentHash, fileName: name.slice(name.lastIndexOf('/') + 1) },
      fromMemory(bytes),
    );
  });
  return router;
}
