import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('../../src/shared/return-memory.ts', import.meta.url).href;

/** In a thread of its own, since the one of the tests never rests; its `report` posts what is asserted. */
async function inThread(code: string): Promise<unknown> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const vm = require('node:vm');
    const report = (value) => parentPort.postMessage(value);
    const work = () => {
      const end = performance.now() + 150;
      while (performance.now() < end) Math.random();
    };
    parentPort.on('message', () => undefined);
    import(${JSON.stringify(MODULE)}).then(({ returnMemoryAtRest }) => { ${code} });`,
    { eval: true },
  );
  try {
    const [value] = await once(worker, 'message');
    return value;
  } finally {
    await worker.terminate();
  }
}

describe('memory at rest', () => {
  it('is returned when the thread rests after work: garbage is collected though nothing allocates', async () => {
    const value = await inThread(`
      let frees = 0;
      let kept = { large: new Array(1e5).fill(0) };
      globalThis.collected = new FinalizationRegistry(() => report({ frees, gc: vm.runInNewContext('typeof gc') }));
      globalThis.collected.register(kept);
      work();
      const free = () => {
        frees++;
        kept = undefined;
      };
      returnMemoryAtRest({ restMs: 100, free });`);
    // The function that collects is not left to others.
    expect(value).toEqual({ frees: 1, gc: 'undefined' });
  });

  it('is left alone by a thread that has done nothing since', async () => {
    const value = await inThread(`
      let frees = 0;
      returnMemoryAtRest({ restMs: 30, free: () => frees++ });
      setTimeout(() => report(frees), 400);`);
    expect(value).toBe(1);
  });

  it('is left alone after the end', async () => {
    const value = await inThread(`
      let frees = 0;
      const end = returnMemoryAtRest({ restMs: 30, free: () => frees++ });
      end();
      work();
      setTimeout(() => report(frees), 200);`);
    expect(value).toBe(0);
  });
});
