import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPreparationWorkers, type PreparationLimits } from '../../src/ingest/prepare-in-worker.ts';
import { endlessMarkdown, jobOf } from '../support/preparation-jobs.ts';

/** For machines with much else to do. */
const patient = { timeout: 15_000 };

const always = new AbortController().signal;
const words = jobOf('b.txt', 'Some words.');
const endless = jobOf('a.md', endlessMarkdown());

function openWorkers(limits: Partial<PreparationLimits> = {}) {
  const workers = createPreparationWorkers({ workers: 1, timeoutMs: 60_000, memoryMb: 1_024, ...limits });
  onTestFinished(() => workers.close());
  return workers;
}

/** The reading processes with that limit, which tells them from those of other tests. */
async function processesWith(memoryMb: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(`preparation-process.ts ${memoryMb}`))
    .map((line) => Number.parseInt(line, 10));
}

describe('a document', () => {
  it('that keeps its reader in a loop is ended in time, and the next is read', async () => {
    const workers = openWorkers({ timeoutMs: 1_500, memoryMb: 1_021 });
    await workers.prepare(words, always);
    await expect(workers.prepare(endless, always)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/a\.md took more than 2 s/),
    });
    await expect.poll(() => processesWith(1_021), patient).toEqual([]);
    expect((await workers.prepare(words, always)).passages).toHaveLength(1);
  });

  it('that fills the memory is refused alone', async () => {
    const workers = openWorkers({ memoryMb: 200 });
    const links = jobOf('a.md', '[a](b) *c* `d`\n\n'.repeat(100_000));
    await expect(workers.prepare(links, always)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/a\.md needs more memory than one document may take/),
    });
    expect((await workers.prepare(words, always)).passages).toHaveLength(1);
  });

  it('that brings down what reads it fails alone, and may be tried again', async () => {
    const workers = openWorkers({ memoryMb: 1_022 });
    await workers.prepare(words, always);
    const reading = workers.prepare(endless, always);
    const failed = expect(reading).rejects.toMatchObject({ message: /Reading a\.md failed: its reader ended/ });
    for (const pid of await processesWith(1_022)) process.kill(pid, 'SIGSEGV');
    await failed;
    expect((await workers.prepare(words, always)).passages).toHaveLength(1);
  });

  it('is read by a process that is used again', async () => {
    const workers = openWorkers({ memoryMb: 1_020 });
    await workers.prepare(words, always);
    const first = await processesWith(1_020);
    await workers.prepare(words, always);
    expect(await processesWith(1_020)).toEqual(first);
  });
});

it('a service that is killed leaves no reader behind, not even one in a loop', async () => {
  const program = fileURLToPath(new URL('../support/read-endlessly.ts', import.meta.url));
  const service = spawn(process.execPath, [program, '1019'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(service.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await processesWith(1_019)).toHaveLength(1);
  service.kill('SIGKILL');
  await expect.poll(() => processesWith(1_019), { timeout: 5_000 }).toEqual([]);
});
