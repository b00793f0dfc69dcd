import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareSearches, comparisonLines, readFigures } from '../../scripts/bench/compare-figures.ts';
import type { Figures, SizeFigures } from '../../scripts/bench/figures.ts';
import { kinds, shares } from '../../scripts/bench/measure-search.ts';
import { timingOf } from '../../scripts/bench/timing.ts';
import { seededRandom } from '../../scripts/seeded-random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const QUESTIONS = 40;

/** Times of a machine with changing load, on which everything whose name matches takes longer by a factor. */
function searchOn({ load = 1, seed = 1, factor = 1, slow = /^$/ }): SizeFigures['search'] {
  const random = seededRandom(seed);
  const loads = Array.from({ length: QUESTIONS }, () => load * (1 + 3 * random.next()));
  const names = kinds.flatMap((kind) => ['no filter', ...shares].map((which) => `${kind}, ${which}`));
  const timings = ['bare Chroma', 'bare FTS5', ...names].map((name) => {
    const times = loads.map((each, index) => {
      const noise = 0.9 + 0.2 * random.next();
      return each * (1 + index) * noise * (slow.test(name) ? factor : 1);
    });
    return [name, timingOf(times)];
  });
  return Object.fromEntries(timings) as SizeFigures['search'];
}

const verdicts = (...[before, now]: Parameters<typeof compareSearches>) =>
  compareSearches(before, now).flatMap(({ name, verdict }) => (verdict === 'as before' ? [] : [`${name}: ${verdict}`]));

const figuresOf = (search: SizeFigures['search'], seed = 1) => {
  const memory = { atStart: 100, afterSearches: 200 };
  const start = { answers: 1, searches: 2, inStep: 3, meanwhile: 4, warm: 2, stops: 5, server: memory, chroma: memory };
  const size = { chunks: 1_000, loading: 1, rebuilding: 1, load: 1, search, start };
  return { date: '2026-01-01T00:00:00Z', version: '1', cores: 2, seed, sizes: [size] } as unknown as Figures;
};

describe('the comparison of two benchmarks', () => {
  it('finds what has become slower or faster, and nothing else', () => {
    const before = searchOn({ seed: 1 });
    expect(verdicts(before, searchOn({ seed: 2 }))).toEqual([]);
    expect(verdicts(before, searchOn({ seed: 2, slow: /^full_text, 0.01/, factor: 1.2 }))).toEqual([
      'full_text, 0.01: slower',
    ]);
    expect(verdicts(before, searchOn({ seed: 2, slow: /^hybrid, /, factor: 0.7 }))).toEqual([
      'hybrid, no filter: faster',
      'hybrid, 0.01: faster',
      'hybrid, 0.5: faster',
    ]);
  });

  it('does not count the load of the machine', () => {
    expect(verdicts(searchOn({ seed: 1 }), searchOn({ seed: 2, load: 5 }))).toEqual([]);
  });

  it('refuses runs that did not measure the same', async () => {
    const file = join(await temporaryFolder(), 'runs.jsonl');
    const [first, last] = [figuresOf(searchOn({})), figuresOf(searchOn({ seed: 2 }), 2)];
    await writeFile(file, `${JSON.stringify(first)}\n${JSON.stringify(last)}\n`);
    expect(await readFigures(file)).toEqual(last);
    expect(() => comparisonLines(first, last)).toThrow('seeds 1 and 2');
    await writeFile(file, '{"cores":2}\n');
    await expect(readFigures(file)).rejects.toThrow('no times of single questions');
    const fewer = { ...first, sizes: first.sizes.map((size) => ({ ...size, chunks: 500 })) };
    expect(comparisonLines(fewer, first).join('\n')).toContain('1000 chunks: not measured with the same questions');
    expect(comparisonLines(first, first).join('\n')).toMatch(/full text, no filter +\| 1\.00/);
  });
});
