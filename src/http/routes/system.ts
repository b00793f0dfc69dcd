import { cpus, freemem, totalmem } from 'node:os';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { onlySuperusers } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { sendPieces } from '../send-csv.ts';
import { sendEvents, streamOptions } from '../sse.ts';
import { toModelChoices } from '../wire/model-choices.ts';
import { toPromptRecord } from '../wire/prompt-record.ts';
import { reindexRequest, toReindexEvents } from '../wire/reindex.ts';
import { toCitewellStatus } from '../wire/system-record.ts';

type Services = Pick<
  HttpServices,
  | 'backups'
  | 'corpus'
  | 'queue'
  | 'status'
  | 'settings'
  | 'models'
  | 'modelChoices'
  | 'prompts'
  | 'reindex'
  | 'limits'
  | 'log'
>;

/** Milliseconds over which CPU usage is measured. */
const CPU_SAMPLE = 100;

/** Bytes of a backup to read ahead. */
const BACKUP_BUFFER = 1_000_000;

/** docs/contract.md 12 for superusers, and re-embedding of the corpus (addition). */
export function systemRoutes(services: Services): Router {
  const { corpus, queue, status, settings, prompts, reindex, limits, log } = services;
  const startedAt = performance.now();
  const startTime = new Date().toISOString();
  const router = createRouter();

  router.get('/status', onlySuperusers, async (_request, response) => {
    const queries = [status({ asksServers: true }), corpus.stats(), queue.backlog(), measureCpuUsage()] as const;
    const [service, stats, backlog, cpuUsage] = await Promise.all(queries);
    response.json(
      single({
        start_time: startTime,
        uptime_seconds: (performance.now() - startedAt) / 1000,
        cpu_usage: cpuUsage,
        memory_usage: 100 * (1 - freemem() / totalmem()),
        citewell: toCitewellStatus(service, stats, backlog),
      }),
    );
  });

  router.get('/settings', onlySuperusers, (_request, response) => {
    const texts = prompts.list().map((prompt) => [prompt.name, toPromptRecord(prompt)] as const);
    response.json(single({ config: settings(), prompts: Object.fromEntries(texts), r2r_project_name: 'citewell' }));
  });

  router.get('/models', onlySuperusers, async (_request, response) => {
    response.json(single(toModelChoices(await services.modelChoices(), services.models)));
  });

  router.get('/backup/progress', onlySuperusers, async (_request, response) => {
    const copying = (await services.backups?.copying()) ?? null;
    response.json(single({ copying }));
  });

  router.get('/backup', onlySuperusers, async (request, response) => {
    if (services.backups === undefined) {
      throw new ServiceError('not_configured', 'Backups are not available: this service has no data folder.');
    }
    const { bytes, content } = await services.backups.begin(requestSignal(request, response));
    response.set({
      'Content-Type': 'application/x-tar',
      'Content-Disposition': 'attachment; filename="citewell-backup.tar"',
      'Cache-Control': 'no-store',
      'X-Backup-Bytes': String(bytes),
    });
    await sendPieces(response, Readable.from(content, { objectMode: false, highWaterMark: BACKUP_BUFFER }));
  });

  router.post('/reindex', onlySuperusers, async (request, response) => {
    const wanted = readBody(request, reindexRequest);
    const signal = requestSignal(request, response);
    await sendEvents(
      response,
      toReindexEvents(reindex(wanted, signal)),
      streamOptions(response, signal, { limits, log }),
    );
  });

  return router;
}

/** CPU usage of all processors in percent. */
async function measureCpuUsage(): Promise<number> {
  const before = processorTimes();
  await sleep(CPU_SAMPLE);
  const after = processorTimes();
  const total = after.total - before.total;
  return total <= 0 ? 0 : 100 * (1 - (after.idle - before.idle) / total);
}

function processorTimes(): { readonly idle: number; readonly total: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), total: sum(times.flatMap((each) => Object.values(each))) };
}
