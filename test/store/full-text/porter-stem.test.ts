import { stemmer } from 'stemmer';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { porterStem } from '../../../src/store/full-text/porter-stem.ts';

const SUFFIXES =
  `s es ies sses ss ed eed ing y ational tional enci anci izer bli alli entli eli ousli ization ation ator
  alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible
  ant ement ment ent ou ism ate iti ous ive ize ion sion tion e ll l at bl iz tt zz`.split(/\s+/);

describe('the stem of a word', () => {
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['hopping', 'hop'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['relational', 'relat'],
    ['generalizations', 'gener'],
    ['adjustment', 'adjust'],
    ['adoption', 'adopt'],
    ['controll', 'control'],
    ['yes', 'ye'],
    ['is', 'is'],
    ['', ''],
  ])('of %s is %s', (word, stem) => {
    expect(porterStem(word)).toBe(stem);
  });

  it('is the one that the package "stemmer" finds, for all combinations of suffixes', () => {
    const differing = SUFFIXES.flatMap((one) => SUFFIXES.map((two) => one + two))
      .flatMap((word) => [word, `y${word}`, `tr${word}`, `oper${word}`])
      .filter((word) => porterStem(word) !== stemmer(word));
    expect(differing).toEqual([]);
  });

  it('is the one that the package "stemmer" finds, for made-up words', () => {
    const random = seededRandom(1);
    const letter = () => String.fromCharCode(97 + Math.floor(random.next() * 26));
    const suffix = () => SUFFIXES[Math.floor(random.next() * SUFFIXES.length)] ?? '';
    const some = (make: () => string, most: number) =>
      Array.from({ length: Math.floor(random.next() * (most + 1)) }, make).join('');
    const words = Array.from({ length: 6_000 }, () => some(letter, 7) + some(suffix, 3));
    expect(words.filter((word) => porterStem(word) !== stemmer(word))).toEqual([]);
  });
});
