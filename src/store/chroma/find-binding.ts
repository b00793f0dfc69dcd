import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import type { BindingJob, BindingReply } from './binding-thread.ts';
import { checkedBinding, recordCheck } from './checked-binding.ts';

/** The file of the last check if nothing has changed since; otherwise runs `loadableBinding` in a worker thread. */
export async function findBinding(workerData: BindingJob): Promise<string> {
  // Only glibc has version requirements to check; on other systems the file is used as it is.
  if (workerData.host.glibc === undefined) return workerData.binding.file;
  const checked = await checkedBinding(workerData);
  if (checked !== undefined) return checked;
  const thread = new Worker(programFile('./binding-thread.ts', import.meta), { execArgv: [], workerData });
  const ended = once(thread, 'exit');
  const [reply] = (await Promise.race([
    once(thread, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`The thread that prepares Chroma ended with ${code}.`))),
  ])) as [BindingReply];
  // Waits until the thread's buffers are freed.
  await ended;
  if ('file' in reply) {
    await recordCheck(workerData, reply.file);
    return reply.file;
  }
  const { code, message, cause } = reply.error;
  throw new ServiceError(code, message, { cause });
}
