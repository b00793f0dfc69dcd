import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { vectorCoding } from '../../../../src/store/sql/vector-codes/vector-coding.ts';

const sample = (dimensions: number) =>
  Float32Array.from({ length: dimensions }, (_, at) => ((at * 37) % 101) / 101 - 0.5);
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

describe('the code of a vector', () => {
  // Codes are stored: other ones would need a migration.
  it.each([
    [4, 32, 'bc1c1e4e3281133c'],
    [256, 32, '96eb87cd16dac7ad'],
    [384, 48, '9de79fa7a4025cd7'],
    [1_001, 126, '60dd6ce8c32821cb'],
  ])('of %i dimensions has %i bytes and is the same everywhere', (dimensions, bytes, expected) => {
    const coding = vectorCoding(dimensions);
    expect(coding.bytes).toBe(bytes);
    expect(digest(coding.encode(sample(dimensions)))).toBe(expected);
  });

  it('is weighed like the product of its signs with the rotated query', () => {
    const coding = vectorCoding(64);
    const weights = coding.weights(sample(64));
    const sumOf = (code: Uint8Array) => code.reduce((sum, byte, place) => sum + (weights[(place << 8) | byte] ?? 0), 0);
    const own = coding.encode(sample(64));
    const opposite = own.map((byte) => 255 - byte);
    expect(sumOf(own)).toBeGreaterThan(0);
    expect(sumOf(opposite)).toBe(-sumOf(own));
    for (let bit = 0; bit < 256; bit++) {
      const other = own.map((byte, place) => (place === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(sumOf(other)).toBeLessThanOrEqual(sumOf(own));
    }
  });

  it('of a zero vector estimates nothing', () => {
    const coding = vectorCoding(8);
    expect(new Set(coding.weights(new Float32Array(8)))).toEqual(new Set([0]));
    expect(coding.encode(new Float32Array(8))).toEqual(new Uint8Array(32));
  });
});
