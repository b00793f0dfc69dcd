import { expect, it } from 'vitest';
import { KeptFiles } from '../../src/sandbox/kept-files.ts';

const nothing = { changed: [], removed: [], tooLarge: [] };
const [whole, changes] = [{ isWhole: true }, { isWhole: false }];
const file = (name: string, size = 1) => ({ name, bytes: new Uint8Array(size) });

it('keeps the files of a session as its calls change and remove them', () => {
  const kept = new KeptFiles();
  kept.update('a', { ...nothing, changed: [file('x'), file('y')] }, whole);
  kept.update('a', { changed: [file('y', 2), file('z')], removed: ['x'], tooLarge: ['big'] }, changes);
  expect(kept.get('a').files.map(({ name, bytes }) => [name, bytes.length])).toEqual([
    ['y', 2],
    ['z', 1],
  ]);
  expect(kept.get('a').tooLarge).toEqual(['big']);
  kept.update('a', { ...nothing, tooLarge: ['z'] }, changes);
  expect(kept.get('a').files.map(({ name }) => name)).toEqual(['y']);
  expect(kept.get('b')).toEqual({ files: [], tooLarge: [] });
  kept.forget('a');
  expect(kept.get('a').files).toEqual([]);
});

it('drops those of a session that was not used for an hour', () => {
  let now = 0;
  const kept = new KeptFiles({ now: () => now });
  kept.update('a', { ...nothing, changed: [file('x')] }, whole);
  now = 59 * 60_000;
  expect(kept.get('a').files).toHaveLength(1);
  now = 61 * 60_000;
  expect(kept.get('a').files).toHaveLength(0);
});

it('keeps at most 256 MB of all sessions, dropping those unused longest', () => {
  const kept = new KeptFiles();
  for (const session of ['a', 'b', 'c']) {
    kept.update(session, { ...nothing, changed: [file('x', 100_000_000)] }, whole);
  }
  expect(['a', 'b', 'c'].map((session) => kept.get(session).files.length)).toEqual([0, 1, 1]);
});

it('keeps a whole folder or none: no changes to files that have been dropped', () => {
  const kept = new KeptFiles();
  kept.update('a', { ...nothing, changed: [file('x'), file('y')] }, whole);
  kept.forget('a');
  expect(kept.has('a')).toBe(false);
  kept.update('a', { ...nothing, changed: [file('y')] }, changes);
  expect(kept.has('a')).toBe(false);
  kept.update('a', { ...nothing, changed: [file('z')] }, whole);
  kept.update('a', { ...nothing, changed: [file('y')] }, whole);
  expect(kept.get('a').files.map(({ name }) => name)).toEqual(['y']);
});

it('keeps nothing of a session whose reports add up to more than its limits', () => {
  const kept = new KeptFiles({ sessionBytes: 10 });
  kept.update('a', { ...nothing, changed: [file('x', 6)] }, whole);
  kept.update('a', { ...nothing, changed: [file('y', 6)] }, changes);
  expect(kept.has('a')).toBe(false);
  const many = (from: number) => Array.from({ length: 600 }, (_, index) => file(String(from + index), 0));
  kept.update('b', { ...nothing, changed: many(0) }, whole);
  kept.update('b', { ...nothing, changed: many(600) }, changes);
  expect(kept.has('b')).toBe(false);
});

it('counts the names of files that were too large', () => {
  const kept = new KeptFiles();
  const tooLarge = Array.from({ length: 1_000 }, (_, index) => `file ${index}`);
  for (let session = 0; session < 300; session++) kept.update(String(session), { ...nothing, tooLarge }, whole);
  expect([kept.has('0'), kept.has('299')]).toEqual([false, true]);
});
