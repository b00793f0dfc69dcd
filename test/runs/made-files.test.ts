import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MadeFiles } from '../../src/runs/made-files.ts';

const OWNER = 'a person';
const file = (name: string, size = 3) => ({ name, mediaType: 'text/csv', bytes: new Uint8Array(size) });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('keeps files for their owner alone', () => {
  const files = new MadeFiles();
  const id = files.keep(OWNER, [file('out/a.csv'), file('out/b.csv')]);
  expect(files.get(OWNER, id, 'out/b.csv')).toMatchObject({ name: 'out/b.csv', mediaType: 'text/csv' });
  for (const [owner, run, name] of [
    ['somebody else', id, 'out/a.csv'],
    [OWNER, 'no run', 'out/a.csv'],
    [OWNER, id, 'out/c.csv'],
  ] as const) {
    expect(() => files.get(owner, run, name)).toThrow(expect.objectContaining({ code: 'not_found' }));
  }
  files.close();
  expect(() => files.get(OWNER, id, 'out/b.csv')).toThrow('run the code again');
});

it('drops files after their time, and the oldest when room is needed, but never the newest', () => {
  const files = new MadeFiles({ retentionMs: 1_000, maxBytes: 10 });
  const first = files.keep(OWNER, [file('a', 6)]);
  const second = files.keep(OWNER, [file('a', 6)]);
  expect(() => files.get(OWNER, first, 'a')).toThrow('no file a');
  expect(files.get(OWNER, second, 'a').bytes).toHaveLength(6);
  const third = files.keep(OWNER, [file('a', 600)]);
  expect(() => files.get(OWNER, second, 'a')).toThrow('no file a');
  expect(files.get(OWNER, third, 'a').bytes).toHaveLength(600);
  vi.advanceTimersByTime(1_001);
  expect(() => files.get(OWNER, third, 'a')).toThrow('no file a');
  // The room is free again.
  const [fourth, fifth] = [files.keep(OWNER, [file('a', 5)]), files.keep(OWNER, [file('a', 5)])];
  expect([files.get(OWNER, fourth, 'a'), files.get(OWNER, fifth, 'a')]).toHaveLength(2);
});
