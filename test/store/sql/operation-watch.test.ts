import { afterEach, expect, it, vi } from 'vitest';
import { cancelTask, createCancelFlag, watchTask } from '../../../src/store/sql/operation-watch.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('ends a search at its time limit, with a remedy', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const watch = watchTask(createCancelFlag(), 1);
  vi.advanceTimersByTime(29_000);
  watch.check();
  vi.advanceTimersByTime(2_000);
  expect(() => watch.check()).toThrow(
    expect.objectContaining({ code: 'timeout', message: expect.stringContaining('Ask a shorter question') }),
  );
});

it('ends the search of an aborted caller, and no other', () => {
  const flag = createCancelFlag();
  const [left, other] = [watchTask(flag, 1), watchTask(flag, 2)];
  cancelTask(flag, 1);
  other.check();
  expect(() => left.check()).toThrow(expect.objectContaining({ code: 'cancelled' }));
});
