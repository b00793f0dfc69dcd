import { gzipSync } from 'node:zlib';
import type { Random } from '../seeded-random.ts';
import { oddValue } from './odd-values.ts';

/** A copy of the value with one change, such as another type, an odd value, or a missing or duplicate field. */
export function mutate(value: unknown, random: Random): unknown {
  if (random.chance(0.15) || typeof value !== 'object' || value === null) return oddValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, oddValue(random)];
    const place = random.integer(0, value.length - 1);
    return value.map((each, index) => (index === place ? mutate(each, random) : each));
  }
  const entries = Object.entries(value);
  const [first, ...others] = entries;
  if (first === undefined || random.chance(0.1)) return { ...value, ['odd member']: oddValue(random) };
  const [name] = random.pick([first, ...others]);
  if (random.chance(0.15)) return Object.fromEntries(entries.filter(([each]) => each !== name));
  return Object.fromEntries(entries.map(([each, member]) => [each, each === name ? mutate(member, random) : member]));
}

/** A corrupted copy of a body. */
export function breakBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.integer(0, bytes.length);
  switch (random.integer(0, 7)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.integer(0, 255)]), bytes.subarray(at)]);
    case 3:
      return Buffer.from(Array.from({ length: random.integer(1, 300) }, () => random.integer(0, 255)));
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 5:
      return Buffer.from(bytes.toString('utf8'), 'utf16le');
    case 6:
      return Buffer.from('['.repeat(random.pick([100, 10_000, 200_000])));
    default:
      return Buffer.from(`{"__proto__":{"polluted":true},${bytes.toString('utf8').slice(1)}`);
  }
}

/** A compressed body; sometimes invalid, or a decompression bomb. */
export function compressed(bytes: Buffer, random: Random): Buffer {
  const zipped = gzipSync(random.chance(0.1) ? Buffer.alloc(random.pick([1_000_000, 40_000_000]), 0x20) : bytes);
  return random.chance(0.4) ? zipped.subarray(0, random.integer(0, zipped.length)) : zipped;
}
