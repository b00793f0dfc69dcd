import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createInStepMark, hasInStepMark } from '../../../../src/store/sql/index-sync/in-step-mark.ts';
import { openSqlite } from '../../../../src/store/sql/sqlite/open-sqlite.ts';
import { migratedDatabase } from '../../../support/migrated-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

it('a mark that is set and removed in quick succession ends as it was set last', async () => {
  // Not a store, which sets the mark itself once it has compared its index.
  const sqlite = await openSqlite({ path: await migratedDatabase(join(await temporaryFolder(), 'citewell.db')) });
  onTestFinished(() => sqlite.close());
  const mark = createInStepMark(sqlite.writer, await hasInStepMark(sqlite.writer));
  for (const isInStep of [true, false, true, false]) {
    void mark.set(!isInStep);
    void mark.set(isInStep);
    await mark.written();
    expect(await hasInStepMark(sqlite.writer)).toBe(isInStep);
  }
});
