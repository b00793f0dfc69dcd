import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { type PreparationJob, type PreparedDocument, prepareDocument } from './prepare-document.ts';

/** What the thread answers to a job. */
export type PreparationReply =
  | { readonly kind: 'prepared'; readonly document: PreparedDocument }
  | { readonly kind: 'refused'; readonly code: ServiceError['code']; readonly message: string };

parentPort?.on('message', async (job: PreparationJob) => {
  parentPort?.postMessage(await answer(job));
});

// The thread is ended from outside when time is up, so nothing in here needs to be asked to stop.
const endless = new AbortController().signal;

async function answer(job: PreparationJob): Promise<PreparationReply> {
  try {
    return { kind: 'prepared', document: await prepareDocument(job, endless) };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'refused', code: error.code, message: error.message };
    const reason = error instanceof RangeError ? 'its parts are nested too deeply' : (error as Error).message;
    return { kind: 'refused', code: 'invalid_request', message: `${job.fileName} could not be read: ${reason}.` };
  }
}
