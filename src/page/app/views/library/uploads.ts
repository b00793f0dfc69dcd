import { signal } from '@preact/signals';
import { announce } from '../../shell/announcements.tsx';
import { whileSignedOut } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import type { FoundFile } from './read-dropped.ts';
import { countUploads, isUnsent, type Upload, UploadQueue } from './upload-queue.ts';
import { createUploader } from './uploader.ts';

/** Target collection of new files. */
export const uploadInto = signal<string | undefined>(undefined);
export const uploads = signal<readonly Upload[]>([]);
/** Number of finished uploads; when it changes, the list is reloaded. */
export const finishedUploads = signal(0);

let isDrawn = true;

// Thousands of files change thousands of times, so the display is updated at most once per frame.
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

/** Continues while other views are shown. */
export const uploadQueue = new UploadQueue(
  createUploader({ collectionId: () => uploadInto.value, signedIn: whileSignedOut }),
  show,
);

export function addToLibrary(found: readonly FoundFile[]): void {
  uploadQueue.add(found);
}

// Leaving the page would lose files that are not uploaded yet.
addEventListener('beforeunload', (event) => {
  if (uploadQueue.uploads.some(isUnsent)) event.preventDefault();
});
