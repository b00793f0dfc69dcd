import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { createImageReaderRequests, type ImageReaderReply } from './image-reader-requests.ts';
import type { ImageReaderChoice, ImageReaderRequest } from './image-reader-source.ts';
import type { ImageReader } from './readers/image/image-reader.ts';
import type { ReadingResults, ReadingTask } from './reading-task.ts';
import { receiveTask } from './receive-task.ts';
import type { TransferredTask } from './task-transfer.ts';
import { tesseractImageReader } from './tesseract-image-reader.ts';

/** Messages to the thread. */
export type ToPreparation =
  | {
      readonly kind: 'read';
      readonly transferred: TransferredTask;
      readonly imageReader: ImageReaderChoice | undefined;
    }
  | ImageReaderReply;

/** Replies of the thread to a job. */
export type PreparationReply =
  | { readonly kind: 'prepared'; readonly result: ReadingResults[ReadingTask['kind']] }
  | {
      readonly kind: 'refused';
      readonly code: ServiceError['code'];
      readonly message: string;
      readonly unread?: ServiceError['unread'];
    };

const send = (message: PreparationReply | ImageReaderRequest) => parentPort?.postMessage(message);
const requests = createImageReaderRequests(send);
const recognisers = new Map<string, ImageReader>();

parentPort?.on('message', async (message: ToPreparation) => {
  if (message.kind === 'read') send(await answer(message.transferred, imageReaderFor(message.imageReader)));
  else requests.settle(message);
});

function imageReaderFor(choice: ImageReaderChoice | undefined): ImageReader | undefined {
  if (choice === undefined) return undefined;
  if (choice.kind === 'remote') return requests.readImage;
  const key = JSON.stringify(choice);
  const recogniser = recognisers.get(key) ?? tesseractImageReader(choice);
  recognisers.set(key, recogniser);
  return (picture, signal) => {
    send({ kind: 'reading_image' });
    return recogniser(picture, signal);
  };
}

// Libraries reject promises that are no longer awaited. Their document has been answered by then, and the current one
// is not affected; a job that never ends is terminated from outside.
process.on('unhandledRejection', () => undefined);

// The thread is terminated from outside on time-out, so this signal is never aborted.
const endless = new AbortController().signal;

async function answer(transferred: TransferredTask, readImage: ImageReader | undefined): Promise<PreparationReply> {
  try {
    return { kind: 'prepared', result: await perform(await receiveTask(transferred), readImage) };
  } catch (error) {
    if (error instanceof ServiceError) {
      const { code, message, unread } = error;
      return { kind: 'refused', code, message, unread };
    }
    const reason = error instanceof RangeError ? 'its parts are nested too deeply' : (error as Error).message;
    const { task } = transferred;
    const name = task.kind === 'document' ? task.job.fileName : task.page.url;
    return { kind: 'refused', code: 'invalid_request', message: `${name} could not be read: ${reason}.` };
  }
}

// Each task imports only the readers it needs: a process for web pages needs few of those for documents.
async function perform(task: ReadingTask, readImage: ImageReader | undefined) {
  switch (task.kind) {
    case 'document':
      return (await import('./prepare-document.ts')).prepareDocument(task.job, endless, readImage);
    case 'page':
      return (await import('./read-web-page.ts')).readWebPage(task.page, endless);
    case 'links':
      return (await import('./readers/html/page-links.ts')).pageLinks(task.page);
    case 'sitemap':
      return (await import('../web/sitemap.ts')).readSitemap(task.page.bytes, task.page.url);
  }
}
