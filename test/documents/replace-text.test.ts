import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceText } from '../../src/documents/replace-text.ts';

it('keeps offsets before the changed text and shifts those after it', () => {
  const { text, mapOffset } = replaceText('one two three', { start: 4, end: 7, text: 'twenty' });
  expect(text).toBe('one twenty three');
  expect([0, 4, 7, 13].map(mapOffset)).toEqual([0, 4, 10, 16]);
});

it('counts the common prefix and suffix as unchanged', () => {
  const { changedEnd, firstMoved, grown } = replaceText('abcdef', { start: 0, end: 6, text: 'abXYef' });
  expect({ changedEnd, firstMoved, grown }).toEqual({ changedEnd: 4, firstMoved: 3, grown: 0 });
});

it('counts text inserted at the edges as part of the passage', () => {
  const before = replaceText('AABB', { start: 2, end: 4, text: 'xBB' });
  expect(before.mapOffset(2)).toBe(2);
  const behind = replaceText('AABB', { start: 0, end: 2, text: 'AAx' });
  expect(behind.mapOffset(2)).toBe(3);
});

it('keeps the text of every passage that does not overlap the change', () => {
  const words = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', ' ') });
  fc.assert(
    fc.property(words, words, words, words, (before, old, behind, text) => {
      const start = before.length;
      const replaced = replaceText(before + old + behind, { start, end: start + old.length, text });
      expect(replaced.text).toBe(before + text + behind);
      expect(replaced.text.slice(replaced.mapOffset(0), start)).toBe(before);
      if (old !== '' && behind !== '') {
        const from = replaced.mapOffset(start + old.length);
        expect(replaced.text.slice(from, replaced.mapOffset(before.length + old.length + behind.length))).toBe(behind);
      }
      for (let offset = 1; offset <= (before + old + behind).length; offset++) {
        expect(replaced.mapOffset(offset)).toBeGreaterThanOrEqual(replaced.mapOffset(offset - 1));
      }
    }),
  );
});
