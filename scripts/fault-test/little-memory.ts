import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import { limitMemory, type MemoryLimit } from './limit-memory.ts';
import { sentenceOf, type Trial } from './trial.ts';

const BYTES = 450_000_000;
const HEAP_MB = 128;
const REMOVED_AFTER_MS = 300;

/** Too little memory. Without control groups only V8's heaps are limited, not buffers and native memory. */
export const littleMemory: Fault = {
  name: 'little-memory',
  title: `the service, Chroma and the readers have ${BYTES / 1e6} MB of memory together`,
  async run(trial) {
    const limit = await limitMemory(BYTES);
    try {
      await trial.start(limit === undefined ? { env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` } } : limit);
      await work(trial);
      const kills = (await limit?.kills()) ?? 0;
      if (kills > 0) console.log(`  the kernel killed ${kills} processes for lack of memory`);
      await trial.checkRecovered();
      await trial.checkNothingLost();
      await trial.stop();
      await trial.start();
      await trial.checkRecovered();
      await trial.checkNothingLost();
    } finally {
      await remove(limit);
    }
  },
};

async function work({ api, add, check, isShort }: Trial): Promise<void> {
  const added = await add(isShort ? 12 : 60, 30);
  check('documents are taken in', ...added.refused.map(sentenceOf), ...added.unanswered);
  const searches = Array.from({ length: isShort ? 40 : 400 }, (_, index) =>
    api.search(`the ${index % 2 === 0 ? 'harbour' : 'ferry'} of the island ${index}`, {
      leg: index % 3 === 0 ? 'full_text' : 'semantic',
      limit: 100,
    }),
  );
  const statuses = (await Promise.all(searches)).map(({ status }) => status);
  check('many searches at once are answered', ...statuses.map((status) => status !== 200 && String(status)));
  const large = await add(2, isShort ? 400 : 2_000);
  check(
    'a large document is taken in or refused with the reason',
    ...large.unanswered,
    ...large.refused.map((answer) => !/memory|large/.test(sentenceOf(answer)) && sentenceOf(answer)),
  );
}

/** Retries, because a control group cannot be removed until its processes have been reaped. */
async function remove(limit: MemoryLimit | undefined): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    try {
      return await limit?.remove();
    } catch {
      await sleep(REMOVED_AFTER_MS);
    }
  }
}
