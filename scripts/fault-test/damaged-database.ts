import { copyFile, open, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { addLongValue, zeroMiddle } from '../../test/support/damage-database.ts';
import { within } from '../kill-test/processes.ts';
import type { Fault } from './fault.ts';

const PAGE_BYTES = 4_096;
const LARGE_BYTES = 34_000_000;
const FOUND_WITHIN_MS = 60_000;

/** Truncated or partly zeroed files, as after a disk failure or an interrupted copy. */
export const damagedDatabase: Fault = {
  name: 'damaged-database',
  title: 'the database is truncated, emptied, removed or partly zeroed',
  async run(trial) {
    const file = join(trial.dataFolder, 'citewell.db');
    const copy = join(trial.folder, 'copy.db');
    await trial.start();
    await trial.add(trial.isShort ? 6 : 20);
    await trial.stop();
    await copyFile(file, copy);
    const { size } = await stat(file);

    const damages: Readonly<Record<string, () => Promise<void>>> = {
      'truncated to its half': () => truncate(file, Math.floor(size / 2 / PAGE_BYTES) * PAGE_BYTES),
      'cut in the middle of a page': () => truncate(file, size - PAGE_BYTES / 2),
      'zeroed in four pages': () => zero(file, Math.floor(size / 2 / PAGE_BYTES) * PAGE_BYTES, 4 * PAGE_BYTES),
      'zeroed in its header': () => zero(file, 0, PAGE_BYTES),
      emptied: () => truncate(file, 0),
      removed: () => rm(file),
    };
    for (const [how, damage] of Object.entries(damages)) {
      await damage();
      for (const command of [['serve', '--port', '0'], ['doctor']]) {
        const { code, stdout, stderr } = await trial.command(command);
        const output = `${stdout}${stderr}`;
        const isClear = /The database \S+citewell\.db is (damaged|empty|missing)/.test(output);
        trial.check(
          `"citewell ${command[0]}" says that a database is damaged that was ${how}`,
          code === 0 && 'It ended with 0.',
          !isClear && output.slice(-500),
        );
      }
      await rm(`${file}-wal`, { force: true });
      await rm(`${file}-shm`, { force: true });
      await copyFile(copy, file);
    }

    // Larger than the size up to which a start checks the whole file.
    await addLongValue(file, LARGE_BYTES);
    await zeroMiddle(file);
    await trial.start();
    const isFound = () => trial.logged().includes('is damaged');
    trial.check(
      'damage in a large database is found while it is served',
      !(await within(FOUND_WITHIN_MS, async () => isFound())) && 'The log says nothing of it.',
    );
    const status = await trial.command(['status']);
    trial.check('"citewell status" says so', !status.stderr.includes('is damaged') && status.stderr.slice(-500));
    await trial.stop();
    await copyFile(copy, file);

    // Damages the index of the write-ahead log (-shm), which SQLite rebuilds from the log.
    await trial.start();
    await trial.add(trial.isShort ? 2 : 6);
    await trial.stop('SIGKILL');
    await zero(`${file}-shm`, 0, (await stat(`${file}-shm`)).size);
    await rename(`${file}-shm`, join(trial.folder, 'moved-shm'));
    await trial.start();
    await trial.checkRecovered();
    await trial.checkNothingLost();
  },
};

async function zero(path: string, offset: number, length: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(length), 0, length, offset);
  await file.close();
}
