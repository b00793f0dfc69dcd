import { readFile } from 'node:fs/promises';
import type { ReadingTask } from './reading-task.ts';
import type { TransferredTask } from './task-transfer.ts';

/** In the reader process: the task with its bytes. */
export async function receiveTask({ task, file }: TransferredTask): Promise<ReadingTask> {
  if (file === undefined || task.kind !== 'document') return task;
  return { ...task, job: { ...task.job, bytes: await readFile(file) } };
}
