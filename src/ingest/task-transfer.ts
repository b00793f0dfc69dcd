import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../documents/ids.ts';
import type { ReadingTask } from './reading-task.ts';
import { MAX_MESSAGE_BYTES, type StoredJob } from './stored-job.ts';

/** A task as submitted to the pool; if a job has `stored`, its own bytes are ignored. */
export type SubmittedTask = ReadingTask | { readonly kind: 'document'; readonly job: StoredJob };

/** A task as sent to a reader process. */
export interface TransferredTask {
  /** Its bytes are empty if they are in `file`. */
  readonly task: ReadingTask;
  readonly file?: string;
  /** Size of the document; 0 for pages, which are small. */
  readonly sizeInBytes: number;
}

/**
 * Prepares a task for a reader process: a large document is written to the folder. Without a folder, or if it cannot be
 * written, the document is sent as a message.
 */
export async function sendTask(given: SubmittedTask, folder: string | undefined): Promise<TransferredTask> {
  if (given.kind !== 'document') return { task: given, sizeInBytes: 0 };
  const { stored, ...job }: StoredJob = given.job;
  const file = folder && (stored !== undefined || job.bytes.length > MAX_MESSAGE_BYTES) ? join(folder, newId()) : '';
  if (folder !== undefined && file !== '') {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (stored === undefined) await writeFile(file, job.bytes, { mode: 0o600, flag: 'wx' });
      else await stored.save(file);
      const { size: sizeInBytes } = await stat(file);
      return { task: { kind: 'document', job: { ...job, bytes: new Uint8Array() } }, file, sizeInBytes };
    } catch {
      await rm(file, { force: true }).catch(() => undefined);
    }
  }
  const bytes = stored === undefined ? job.bytes : await stored.read();
  return { task: { kind: 'document', job: { ...job, bytes } }, sizeInBytes: bytes.byteLength };
}

export const removeTransferFile = ({ file }: TransferredTask): Promise<void> =>
  file === undefined ? Promise.resolve() : rm(file, { force: true });
