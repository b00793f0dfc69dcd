import { expect, it } from 'vitest';
import { createInStepMark, hasInStepMark } from '../../../../src/store/sql/index-sync/in-step-mark.ts';
import { openTestStore } from '../../../support/store.ts';

it('a mark that is set and removed in quick succession ends as it was set last', async () => {
  const { sqlite } = await openTestStore();
  const mark = createInStepMark(sqlite.writer, await hasInStepMark(sqlite.writer));
  for (const isInStep of [true, false, true, false]) {
    void mark.set(!isInStep);
    void mark.set(isInStep);
    await mark.written();
    expect(await hasInStepMark(sqlite.writer)).toBe(isInStep);
  }
});
