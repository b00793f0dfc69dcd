import { describe, expect, it } from 'vitest';
import { changedWords, pairDifferences } from '../../src/page/app/views/source/pair-differences.ts';

const difference = (kind: 'removed' | 'added', start: number, text: string, heading = 'Fares') => ({
  kind,
  start,
  end: start + text.length,
  text,
  page: null,
  heading_path: [heading],
});

describe('the differences of two versions', () => {
  it('stand beside each other where one passage replaced another, in the order of the text', () => {
    const { pairs, moved } = pairDifferences([
      difference('removed', 0, 'A child travels for half the price of an adult.'),
      difference('removed', 100, 'Bicycles cost two crowns.'),
      difference('removed', 200, 'The office opens at nine.', 'Hours'),
      difference('added', 0, 'Dogs go ashore first, whatever the weather says.'),
      difference('added', 60, 'A child travels for a third of the price of an adult.'),
      difference('added', 220, 'The office opens at nine.', 'Opening hours'),
    ]);
    expect(pairs.map(({ before, after }) => [before?.start, after?.start])).toEqual([
      [undefined, 0],
      [0, 60],
      [100, undefined],
    ]);
    expect(moved).toBe(1);
  });

  it('are marked by word, and lose no character', () => {
    const [before, after] = ['The fare is 15 crowns,\n  one way.', 'The single fare is 20 crowns, one way.'];
    const pieces = changedWords(before, after);
    expect(pieces.before.map(({ text }) => text).join('')).toBe(before);
    expect(pieces.after.map(({ text }) => text).join('')).toBe(after);
    const changed = (side: 'before' | 'after') => pieces[side].filter(({ isChanged }) => isChanged);
    expect(changed('before').map(({ text }) => text.trim())).toContain('15');
    expect(changed('after').map(({ text }) => text.trim())).toEqual(expect.arrayContaining(['single', '20']));
    expect(changed('after').map(({ text }) => text.trim())).not.toContain('crowns');
  });
});
