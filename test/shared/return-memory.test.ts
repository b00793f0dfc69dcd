import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { returnMemoryAtRest } from '../../src/shared/return-memory.ts';

const MODULE = new URL('../../src/shared/return-memory.ts', import.meta.url).href;
const REST_MS = 10_000;

/**
 * Runs the code in a thread of a process of its own, where no other thread collects and the thread rests; `report` ends
 * it with what is asserted.
 */
async function inThread(code: string): Promise<unknown> {
  const thread = `const { parentPort } = require('node:worker_threads');
    const v8 = require('node:v8');
    const vm = require('node:vm');
    const report = (value) => parentPort.postMessage(value);
    parentPort.on('message', () => undefined);
    let kept = { large: new Array(1e5).fill(0) };
    globalThis.collected = new FinalizationRegistry(() => report({ gc: vm.runInNewContext('typeof gc') }));
    globalThis.collected.register(kept);
    const free = () => (kept = undefined);
    ${code}`;
  const program = `const { Worker } = require('node:worker_threads');
    const tell = (value) => process.stdout.write(JSON.stringify(value), () => process.exit());
    new Worker(${JSON.stringify(thread)}, { eval: true }).on('message', tell);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program]);
  return JSON.parse(stdout);
}

/** The event loop of a thread, as far as its times go. */
function simulatedLoop() {
  const total = { active: 0, idle: 0 };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((now = { ...total, utilization: 0 }, before) => {
    const active = now.active - (before?.active ?? 0);
    const idle = now.idle - (before?.idle ?? 0);
    return { active, idle, utilization: active / Math.max(1, active + idle) };
  });
  return {
    /** Lets the time between two looks pass, of which the thread works so much. */
    pass(workedMs: number) {
      total.active += workedMs;
      total.idle += REST_MS - workedMs;
      vi.advanceTimersByTime(REST_MS);
    },
  };
}

describe('memory at rest', () => {
  it('is returned when the thread rests after work: garbage is collected though nothing allocates', async () => {
    const code = `import(${JSON.stringify(MODULE)}).then(({ returnMemoryAtRest }) => {
      returnMemoryAtRest({ restMs: 100, free });
    });`;
    // The function that collects is not left to others.
    expect(await inThread(code)).toEqual({ gc: 'undefined' });
  });

  it('is returned a little later when another thread collects at that moment', async () => {
    const code = `const set = v8.setFlagsFromString;
      v8.setFlagsFromString = (flag) => {
        set(flag);
        if (flag !== '--expose-gc') return;
        // What the other thread does when it is done.
        set('--no-expose-gc');
        v8.setFlagsFromString = set;
        require('node:module').syncBuiltinESMExports();
      };
      require('node:module').syncBuiltinESMExports();
      import(${JSON.stringify(MODULE)}).then(({ returnMemoryAtRest }) => {
        returnMemoryAtRest({ restMs: 100, free });
      });`;
    expect(await inThread(code)).toEqual({ gc: 'undefined' });
  });

  it('is returned after work only, once, and when the work is over', () => {
    const loop = simulatedLoop();
    let returns = 0;
    // What Node defines with --expose-gc.
    vi.stubGlobal('gc', () => void returns++);
    onTestFinished(() => void vi.unstubAllGlobals());
    const end = returnMemoryAtRest({ restMs: REST_MS });
    const returnsAfter = (...worked: readonly number[]) => {
      for (const each of worked) loop.pass(each);
      return returns;
    };
    // The start counts as work.
    expect(returnsAfter(5_000, 200)).toBe(0);
    expect(returnsAfter(0)).toBe(1);
    expect(returnsAfter(0, 0, 40, 40)).toBe(1);
    expect(returnsAfter(40)).toBe(2);
    expect(returnsAfter(5_000)).toBe(2);
    end();
    expect(returnsAfter(0, 0)).toBe(2);
  });
});
