import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Fault } from './fault.ts';
import { mountSmallDisk } from './small-disk.ts';
import { type Added, sentenceOf, type Trial } from './trial.ts';

const MEGABYTES = 96;

/** No space left on the device: on a small file system, or by a file size limit if mounting is not permitted. */
export const fullDisk: Fault = {
  name: 'full-disk',
  title: 'the disk is full while documents come in, and at the start',
  async run(trial) {
    const disk = await mountSmallDisk(trial.dataFolder, MEGABYTES);
    if (disk === undefined) return limitFiles(trial);
    try {
      await trial.start();
      await trial.add(trial.isShort ? 6 : 30);
      await trial.checkRecovered();

      await disk.fill();
      checkRefused(await trial.add(6, 40), trial, /disk is full/);
      await checkSearches(trial);
      await trial.checkNothingLost();
      await disk.free();
      await checkContinues(trial);

      await trial.stop();
      await disk.fill();
      const full = await startWithFullDisk(trial);
      trial.check(
        'a start on a full disk succeeds, or says why not',
        full !== undefined && !/disk is full|no space/i.test(full) && full,
      );
      if (full === undefined) {
        await checkSearches(trial);
        await trial.stop();
      }
      await disk.free();
      await trial.start();
      await checkContinues(trial);
      await trial.stop();
    } finally {
      await disk.unmount();
    }
  },
};

/** With a file size limit, SQLite reports that it cannot write. */
async function limitFiles(trial: Trial): Promise<void> {
  const { pid } = await trial.start();
  await trial.add(trial.isShort ? 6 : 30);
  const limit = (bytes: string) => promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  await limit('65536');
  checkRefused(await trial.add(6, 40), trial, /disk is full|disk I\/O error/);
  await checkSearches(trial);
  await limit('unlimited');
  await checkContinues(trial);
}

function checkRefused({ acknowledged, refused, unanswered }: Added, trial: Trial, words: RegExp): void {
  trial.check(
    'documents for which there is no space are refused, with the reason',
    refused.length === 0 && `None of them was; ${acknowledged} were acknowledged.`,
    ...refused.map((answer) => (answer.status !== 503 || !words.test(sentenceOf(answer))) && sentenceOf(answer)),
    ...unanswered,
  );
}

async function checkSearches({ api, check }: Trial): Promise<void> {
  for (const leg of ['full_text', 'semantic'] as const) {
    const { status } = await api.search('the harbour of the island', { leg, limit: 5 });
    check(`the search by ${leg} still answers`, status !== 200 && `It was answered ${status}.`);
  }
}

async function checkContinues(trial: Trial): Promise<void> {
  const added = await trial.add(4);
  trial.check('it goes on once there is space', ...added.refused.map(sentenceOf), ...added.unanswered);
  await trial.checkRecovered();
  await trial.checkNothingLost();
}

/** Output of a failed start; undefined if the start succeeds. */
async function startWithFullDisk(trial: Trial): Promise<string | undefined> {
  try {
    await trial.start();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
