import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault } from './fault.ts';

/** The index is rebuilt from SQLite, whatever happened to its files. */
export const damagedIndex: Fault = {
  name: 'damaged-index',
  title: 'files of the vector index are truncated, zeroed or missing',
  async run(trial) {
    const folder = join(trial.dataFolder, 'chroma');
    await trial.start();
    await trial.add(trial.isShort ? 8 : 40, 10);
    await trial.checkRecovered();
    await trial.stop();

    const halve = async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2));
    const zero = async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size));
    const damages: Readonly<Record<string, (path: string) => Promise<void>>> = {
      'files cut to their half': halve,
      'files full of zeros': zero,
      'files that are empty': (path) => truncate(path, 0),
      'files that are gone': (path) => rm(path),
    };
    for (const [how, damage] of Object.entries(damages)) {
      if (trial.isShort && damage !== halve && damage !== zero) continue;
      for (const which of [/\.sqlite3$/, /\.bin$/]) {
        const names = (await readdir(folder, { recursive: true })).filter((name) => which.test(name));
        for (const name of names) await damage(join(folder, name));
        await trial.start();
        await trial.checkRecovered();
        const added = await trial.add(1);
        trial.check(
          `it takes documents in after a start on ${how} (${which.source})`,
          ...added.unanswered,
          ...added.refused.map(({ status }) => String(status)),
        );
        await trial.checkNothingLost();
        await trial.stop();
      }
    }
  },
};
