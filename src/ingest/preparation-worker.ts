import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { createAskedSight, type SeenMessage } from './asked-sight.ts';
import { type PreparationJob, type PreparedDocument, prepareDocument } from './prepare-document.ts';
import type { Sight } from './readers/sight.ts';
import type { SightMessage, ToldSight } from './sight-source.ts';
import { tesseractSight } from './tesseract-sight.ts';

/** What the thread is told. */
export type ToPreparation =
  | { readonly kind: 'read'; readonly job: PreparationJob; readonly sight: ToldSight | undefined }
  | SeenMessage;

/** What the thread answers to a job. */
export type PreparationReply =
  | { readonly kind: 'prepared'; readonly document: PreparedDocument }
  | { readonly kind: 'refused'; readonly code: ServiceError['code']; readonly message: string };

const say = (message: PreparationReply | SightMessage) => parentPort?.postMessage(message);
const asked = createAskedSight(say);
const recognisers = new Map<string, Sight>();

parentPort?.on('message', async (message: ToPreparation) => {
  if (message.kind === 'read') say(await answer(message.job, sightFor(message.sight)));
  else asked.settle(message);
});

function sightFor(told: ToldSight | undefined): Sight | undefined {
  if (told === undefined) return undefined;
  if (told.kind === 'asked') return asked.see;
  const key = JSON.stringify(told);
  const recogniser = recognisers.get(key) ?? tesseractSight(told);
  recognisers.set(key, recogniser);
  return (picture, signal) => {
    say({ kind: 'seeing' });
    return recogniser(picture, signal);
  };
}

// Libraries give up on things that nobody waits for any more. The document it was for has its answer by then, and the one
// that is read now has nothing to do with it; what never answers is ended from outside.
process.on('unhandledRejection', () => undefined);

// The thread is ended from outside when time is up, so nothing in here needs to be asked to stop.
const endless = new AbortController().signal;

async function answer(job: PreparationJob, see: Sight | undefined): Promise<PreparationReply> {
  try {
    return { kind: 'prepared', document: await prepareDocument(job, endless, see) };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'refused', code: error.code, message: error.message };
    const reason = error instanceof RangeError ? 'its parts are nested too deeply' : (error as Error).message;
    return { kind: 'refused', code: 'invalid_request', message: `${job.fileName} could not be read: ${reason}.` };
  }
}
