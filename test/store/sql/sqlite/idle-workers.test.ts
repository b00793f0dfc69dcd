import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { keepWorker, startIdleWorkers, takeWorker } from '../../../../src/store/sql/sqlite/idle-workers.ts';

it('a database takes over the threads that were started before it was opened', async () => {
  startIdleWorkers();
  const later = new Worker('', { eval: true });
  const taken = [takeWorker(), takeWorker()];
  const next = takeWorker();
  try {
    for (const worker of taken) expect(worker.threadId).toBeLessThan(later.threadId);
    expect(new Set(taken).size).toBe(2);
    expect(next.threadId).toBeGreaterThan(later.threadId);
  } finally {
    await Promise.all([...taken, next, later].map((worker) => worker.terminate()));
  }
});

it('no more threads are kept than a database needs', async () => {
  startIdleWorkers();
  const kept = takeWorker();
  startIdleWorkers();
  const exit = new Promise((resolve) => kept.once('exit', resolve));
  keepWorker(kept);
  await exit;
  await Promise.all([takeWorker(), takeWorker()].map((worker) => worker.terminate()));
});
