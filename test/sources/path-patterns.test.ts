import { expect, it } from 'vitest';
import { matchesPattern } from '../../src/sources/path-patterns.ts';
import { processorTime } from '../support/processor-time.ts';

it.each([
  ['a.md', '*.md', true],
  ['docs/deep/a.md', '*.md', true],
  ['docs/a.md', 'docs/*.md', true],
  ['docs/deep/a.md', 'docs/*.md', false],
  ['docs/deep/a.md', 'docs/**/*.md', true],
  ['docs/a.md', 'docs/**/a.md', true],
  ['docs/deep/a.md', '/docs/', true],
  ['docs', 'docs/', true],
  ['src/docs/a.md', 'docs/', false],
  ['src/docs/a.md', '**/docs/**', true],
  ['a.mdx', '*.md', false],
  ['v1.md', 'v?.md', true],
  ['a.md', '**', true],
])('%s fits %s: %s', (path, pattern, expected) => {
  expect(matchesPattern(path, pattern)).toBe(expected);
});

it('is not slowed down by a pattern with many wildcards', () => {
  const took = processorTime(() => {
    expect(matchesPattern(`${'a'.repeat(1000)}`, `${'*a'.repeat(500)}b`)).toBe(false);
    expect(matchesPattern('a/'.repeat(500), `${'**/a/'.repeat(200)}b`)).toBe(false);
  });
  expect(took).toBeLessThan(2_000);
});
