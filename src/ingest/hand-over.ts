import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../documents/ids.ts';
import type { ReadingTask } from './reading-task.ts';

/** A message between processes is copied several times, so that larger files are handed over on disk. */
const MAX_MESSAGE_BYTES = 8_000_000;

/** A task as it is sent to a reader process. */
export interface HandedTask {
  /** Without its bytes where these are in `file`. */
  readonly task: ReadingTask;
  readonly file?: string;
}

/** Writes a large document to the folder; it is sent as a message where there is none, or no space in it. */
export async function handOver(task: ReadingTask, folder: string | undefined): Promise<HandedTask> {
  if (folder === undefined || task.kind !== 'document' || task.job.bytes.length <= MAX_MESSAGE_BYTES) return { task };
  const file = join(folder, newId());
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, task.job.bytes, { mode: 0o600, flag: 'wx' });
  } catch {
    await rm(file, { force: true }).catch(() => undefined);
    return { task };
  }
  return { task: { ...task, job: { ...task.job, bytes: new Uint8Array() } }, file };
}

/** In the reader process: the whole task. */
export async function takeOver({ task, file }: HandedTask): Promise<ReadingTask> {
  if (file === undefined || task.kind !== 'document') return task;
  return { ...task, job: { ...task.job, bytes: await readFile(file) } };
}

export const removeHanded = ({ file }: HandedTask): Promise<void> =>
  file === undefined ? Promise.resolve() : rm(file, { force: true });
