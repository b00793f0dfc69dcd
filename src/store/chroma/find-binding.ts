import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import type { BindingJob, BindingReply } from './binding-thread.ts';

/** `loadableBinding` in a thread of its own. */
export async function findBinding(workerData: BindingJob): Promise<string> {
  // Linux alone has versions of glibc, and elsewhere nothing is read.
  if (workerData.host.glibc === undefined) return workerData.binding.file;
  const thread = new Worker(programFile('./binding-thread.ts', import.meta), { execArgv: [], workerData });
  const ended = once(thread, 'exit');
  const [reply] = (await Promise.race([
    once(thread, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`The thread that prepares Chroma ended with ${code}.`))),
  ])) as [BindingReply];
  // Its buffers are freed before the next start.
  await ended;
  if ('file' in reply) return reply.file;
  const { code, message, cause } = reply.error;
  throw new ServiceError(code, message, { cause });
}
