import { signal } from '@preact/signals';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import type { FoundFile } from './read-dropped.ts';
import { countUploads, type Upload, UploadQueue } from './upload-queue.ts';
import { createUploader } from './uploader.ts';

/** The collection that new files go into. */
export const uploadInto = signal<string | undefined>(undefined);
export const uploads = signal<readonly Upload[]>([]);
/** How many are through; the list is worth reading again when it grows. */
export const finishedUploads = signal(0);

let isDrawn = true;

// Thousands of files change thousands of times: what is shown is brought up to date once a frame at most.
function show(): void {
  if (!isDrawn) return;
  isDrawn = false;
  setTimeout(() => {
    isDrawn = true;
    uploads.value = uploadQueue.uploads;
    const { over, total, failed } = countUploads(uploads.value);
    if (over > finishedUploads.value && over === total) announce(texts.library.uploadsDone(total - failed, failed));
    finishedUploads.value = over;
  }, 100);
}

/** Goes on while other views are looked at. */
export const uploadQueue = new UploadQueue(
  createUploader(() => uploadInto.value),
  show,
);

export function addToLibrary(found: readonly FoundFile[]): void {
  uploadQueue.add(found);
}

// Leaving the page would lose what has not been sent.
addEventListener('beforeunload', (event) => {
  if (uploadQueue.uploads.some(({ state: { kind } }) => kind === 'waiting' || kind === 'sending'))
    event.preventDefault();
});
