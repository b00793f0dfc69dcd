import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CorpusChange } from '../../src/mcp/backend.ts';
import { type Changes, paceChanges } from '../../src/mcp/pace-changes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const none = new Set();

function start() {
  const listeners = new Set<(change: CorpusChange) => void>();
  const reports: Changes[] = [];
  const stop = paceChanges(
    {
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    (changes) => reports.push(changes),
  );
  const change = (documentId: string, isListChanged = true) => {
    for (const listener of listeners) listener({ documentId, isListChanged });
  };
  return { change, reports, stop, isWatched: () => listeners.size > 0 };
}

it('reports a change at once, and those of the next second together', () => {
  const { change, reports } = start();
  change('a', false);
  expect(reports).toEqual([{ isListChanged: false, documentIds: ['a'], removedIds: none }]);
  for (const id of ['b', 'c', 'b']) change(id);
  expect(reports).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  expect(reports.slice(1)).toEqual([{ isListChanged: true, documentIds: ['b', 'c'], removedIds: none }]);
  vi.advanceTimersByTime(5_000);
  expect(reports).toHaveLength(2);
  change('d', false);
  expect(reports.at(-1)).toEqual({ isListChanged: false, documentIds: ['d'], removedIds: none });
});

it('reports nothing after it was stopped', () => {
  const { change, reports, stop, isWatched } = start();
  change('a');
  change('b');
  stop();
  vi.advanceTimersByTime(5_000);
  expect(reports).toHaveLength(1);
  expect(isWatched()).toBe(false);
});
