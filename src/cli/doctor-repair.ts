import { stat } from 'node:fs/promises';
import { byteCount } from '../shared/byte-count.ts';
import { errorMessage } from '../shared/error-message.ts';
import { openDataFolder } from '../store/data-folder.ts';
import { damageSentence, findDamage } from '../store/sql/check-database.ts';
import { compactDatabase, freeSpaceIn } from '../store/sql/compact-database.ts';
import type { Finding } from './doctor-checks.ts';

/**
 * Rewrites a database of an earlier version, which keeps the space of deleted rows. `announce` is called before it
 * starts. Does nothing if there is no database, or if it already returns free space.
 */
export async function repairDatabase(folder: string, announce: (message: string) => void): Promise<Finding[]> {
  const name = 'Repair';
  // A missing folder is neither created nor changed here.
  if ((await stat(folder).catch(() => undefined)) === undefined) return [];
  try {
    const held = await openDataFolder(folder);
    try {
      const file = held.databaseFile;
      const size = (await stat(file).catch(() => undefined))?.size ?? 0;
      if (size === 0) return [];
      const damage = findDamage(file);
      if (damage.length > 0) return [{ name, state: 'wrong', detail: damageSentence(file, damage) }];
      if (freeSpaceIn(file).isReclaimed) return [{ name, state: 'ok', detail: 'nothing to do' }];
      announce(
        `Rewriting ${file} (${byteCount(size)}) to return the space of deleted documents. ` +
          'The old file is replaced when the new one is complete.',
      );
      const { before, after } = await compactDatabase(file);
      const detail = `the database was rewritten, ${byteCount(after)} instead of ${byteCount(before)}`;
      return [{ name, state: 'ok', detail }];
    } finally {
      await held.close();
    }
  } catch (error) {
    const detail = errorMessage(error);
    return [{ name, state: 'wrong', detail, fix: 'Nothing was changed. Solve the problem, then try again.' }];
  }
}
