import { expect, it } from 'vitest';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { vectorJson } from '../../../src/store/chroma/vector-json.ts';

const read = (vector: Float32Array): Float32Array => Float32Array.from(JSON.parse(vectorJson(vector)) as number[]);

it('keeps the components of a vector, whatever its length', () => {
  const random = seededRandom(3);
  for (const length of [1e-30, 1e-6, 1, 3, 1e6, 1e30]) {
    const vector = Float32Array.from({ length: 500 }, () => (random.next() - 0.5) * length);
    const largest = Math.max(...vector.map(Math.abs));
    for (const [at, component] of read(vector).entries()) {
      const given = vector[at] ?? Number.NaN;
      expect(Math.abs(component - given)).toBeLessThan(5e-9 * largest);
      if (Math.abs(given) > largest / 10) expect(component).toBe(given);
    }
  }
});

it('is shorter than the digits that JSON.stringify writes', () => {
  const random = seededRandom(4);
  const vector = Float32Array.from({ length: 768 }, () => (random.next() - 0.5) / 10);
  expect(vectorJson(vector).length).toBeLessThan(0.75 * JSON.stringify(Array.from(vector)).length);
});

it('writes zeros as zeros, and what is not a number as null', () => {
  expect(vectorJson(new Float32Array(2))).toBe('[0,0]');
  expect(JSON.parse(vectorJson(Float32Array.of(-0, 1e-40, 4)))).toEqual([0, 0, 4]);
  expect(vectorJson(Float32Array.of(1, Number.NaN))).toBe('[1,null]');
  expect(vectorJson(Float32Array.of(Number.NEGATIVE_INFINITY, 2))).toBe('[null,2]');
});
