import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPreparationWorkers, type PreparationSettings } from '../../src/ingest/prepare-in-worker.ts';
import { PATIENT } from '../support/patience.ts';
import { endlessMarkdown, jobOf } from '../support/preparation-jobs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { linesAt, makePdf } from './make-pdf.ts';
import { makePng } from './make-pictures.ts';

const always = new AbortController().signal;
const words = jobOf('b.txt', 'Some words.');
const endless = jobOf('a.md', endlessMarkdown());

function openWorkers(limits: Partial<PreparationSettings> = {}) {
  const workers = createPreparationWorkers({ workers: 1, timeoutMs: 240_000, memoryMb: 1_024, ...limits });
  onTestFinished(() => workers.close());
  return workers;
}

const PROCESS = fileURLToPath(new URL('../../dist/src/ingest/preparation-process.js', import.meta.url));

/** The reading processes with that memory limit, which distinguishes them from those of other tests. */
async function processesWith(memoryMb: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(`${PROCESS} ${memoryMb}`))
    .map((line) => Number.parseInt(line, 10));
}

describe('a document', () => {
  it('whose reader loops forever is stopped at the time limit, and the next is read', async () => {
    const workers = openWorkers({ timeoutMs: 10_000, memoryMb: 1_021 });
    await workers.prepare(words, always);
    await expect(workers.prepare(endless, always)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/a\.md took more than 10 s/),
    });
    await expect.poll(() => processesWith(1_021), PATIENT).toEqual([]);
    expect((await workers.prepare(words, always)).chunks).toHaveLength(1);
  });

  it('has more time the larger it is', async () => {
    const spaces = Buffer.alloc(90_000_000, ' ');
    const large = { ...jobOf('large.txt', ''), bytes: spaces };
    for (const limits of [{}, { folder: await temporaryFolder() }]) {
      const workers = openWorkers({ timeoutMs: 1, ...limits });
      await expect(workers.prepare(words, always)).rejects.toMatchObject({ code: 'timeout' });
      await expect(workers.prepare(large, always)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('has more time while its images are read', async () => {
    const imageReader = {
      kind: 'remote',
      readImage: async () => {
        await setTimeout(6_000);
        return 'Words.';
      },
    } as const;
    const workers = openWorkers({ timeoutMs: 5_000, imageReader });
    expect((await workers.prepare({ ...jobOf('a.png', ''), bytes: makePng() }, always)).text).toBe('Words.');
  });

  it('that is large is passed on disk, and the file is removed', async () => {
    const folder = join(await temporaryFolder(), 'reading');
    const large = jobOf('a.txt', 'The ferry leaves at nine.\n\n'.repeat(350_000));
    const workers = openWorkers({ folder });
    const reading = workers.prepare(large, always);
    await expect.poll(() => readdir(folder).catch(() => []), PATIENT).toHaveLength(1);
    expect((await reading).text).toContain('The ferry leaves at nine.');
    expect(await readdir(folder)).toEqual([]);
    const gone = new AbortController();
    const stopped = workers.prepare(large, gone.signal);
    await expect.poll(() => readdir(folder), PATIENT).toHaveLength(1);
    gone.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => readdir(folder), PATIENT).toEqual([]);
  });

  it('that is stored is copied to a file for its reader, or read from the store if no file can be written', async () => {
    const folder = join(await temporaryFolder(), 'reading');
    const { bytes, ...job } = jobOf('a.txt', 'The ferry leaves at nine.');
    const ways: string[] = [];
    const stored = {
      save: async (path: string) => {
        ways.push('saved');
        await writeFile(path, bytes);
      },
      read: async () => {
        ways.push('read');
        return bytes;
      },
    };
    const given = { ...job, bytes: new Uint8Array(), stored };
    for (const options of [{ folder }, {}, { folder: '/dev/null/none' }]) {
      expect((await openWorkers(options).prepare(given, always)).text).toBe('The ferry leaves at nine.');
    }
    expect(ways).toEqual(['saved', 'read', 'read']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('that is large is read even if no file can be written', async () => {
    const folder = join(await temporaryFolder(), 'a-file');
    await writeFile(folder, '');
    const large = jobOf('a.txt', 'The ferry leaves at nine.\n\n'.repeat(350_000));
    expect((await openWorkers({ folder }).prepare(large, always)).chunks.length).toBeGreaterThan(1_000);
  });

  it('that exhausts memory is refused without affecting others', async () => {
    const workers = openWorkers({ memoryMb: 200 });
    const links = jobOf('a.md', '[a](b) *c* `d`\n\n'.repeat(100_000));
    await expect(workers.prepare(links, always)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/a\.md needs more memory than one document may take/),
    });
    expect((await workers.prepare(words, always)).chunks).toHaveLength(1);
  });

  it('that crashes its reader process fails alone, and may be tried again', async () => {
    const workers = openWorkers({ memoryMb: 1_022 });
    await workers.prepare(words, always);
    const reading = workers.prepare(endless, always);
    const failed = expect(reading).rejects.toMatchObject({ message: /Reading a\.md failed: its reader ended/ });
    for (const pid of await processesWith(1_022)) process.kill(pid, 'SIGSEGV');
    await failed;
    expect((await workers.prepare(words, always)).chunks).toHaveLength(1);
  });

  it('whose library fails late does not affect documents read after it', async () => {
    const workers = openWorkers({ memoryMb: 1_018 });
    const whole = Buffer.from(makePdf([linesAt(60, 780, ['One']), linesAt(60, 780, ['Two'])])).toString('latin1');
    // The second page's object is among the lost bytes, so its entry in the xref table is invalid.
    const torn = whole.replace(/\/Type1 \/BaseFont[\s\S]*(?=<< \/Type \/Page \/Parent[^\n]*9 0 R)/, (lost) =>
      '\0'.repeat(lost.length),
    );
    expect(torn).not.toBe(whole);
    const first = workers.prepare({ ...jobOf('a.pdf', ''), bytes: Buffer.from(torn, 'latin1') }, always);
    await expect(first).rejects.toMatchObject({ code: 'invalid_request' });
    const [reader] = await processesWith(1_018);
    await setTimeout(300);
    expect((await workers.prepare(words, always)).chunks).toHaveLength(1);
    expect(await processesWith(1_018)).toEqual([reader]);
  });

  it('that waits for a process when the readers are closed is stopped, and starts none', async () => {
    const workers = openWorkers({ workers: 2, memoryMb: 1_017 });
    const ends = Promise.allSettled([workers.prepare(endless, always), workers.prepare(words, always)]);
    await expect.poll(() => processesWith(1_017), PATIENT).toHaveLength(1);
    await workers.close();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await processesWith(1_017)).toEqual([]);
  });

  it('is read by a reusable process', async () => {
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
  await expect.poll(() => processesWith(1_019), PATIENT).toHaveLength(1);
  service.kill('SIGKILL');
  await expect.poll(() => processesWith(1_019), PATIENT).toEqual([]);
});
