import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readPack } from '../../../src/sources/git/pack.ts';

const BLOB = 3;
const OFFSET_DELTA = 6;
const { signal } = new AbortController();

/** A file, and files that each are made of the one before, of which nothing is kept, and of new content. */
const versions = Array.from({ length: 4 }, (_, version) => Buffer.alloc(40_000, `version ${version} `));
const nameOf = (content: Buffer) => createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

it('keeps delta chains in memory up to a limit, and omits objects that need more', async () => {
  const pack = chainOf(versions);
  const names = versions.map(nameOf);
  const known = async (limits: { readonly chain: number; readonly cache: number; readonly named: number }) => {
    const read = await readPack(pack, 'sha1', signal, limits);
    return names.map((name) => read.has(name));
  };
  // Without a cache, a version needs its difference and those of all before it.
  expect(await known({ chain: 100_000, cache: 0, named: 50_000 })).toEqual([true, true, true, false]);
  expect(await known({ chain: 50_000, cache: 0, named: 50_000 })).toEqual([true, true, false, false]);
  expect(await known({ chain: 200_000, cache: 0, named: 50_000 })).toEqual([true, true, true, true]);
  // With the version before in the cache, its own is enough.
  expect(await known({ chain: 50_000, cache: 1_000_000, named: 50_000 })).toEqual([true, true, true, true]);
  expect(await known({ chain: 200_000, cache: 0, named: 30_000 })).toEqual([true, false, false, false]);
  const whole = await readPack(pack, 'sha1', signal);
  for (const [at, name] of names.entries()) expect(whole.read(name, 50_000)?.content).toEqual(versions[at]);
  expect(() => whole.read(names.at(-1) ?? '', 30_000)).toThrow('more than');
});

function chainOf([first, ...others]: readonly Buffer[]): Buffer {
  const parts = [header(1 + others.length), ...entry(BLOB, first ?? Buffer.alloc(0))];
  let last = 12;
  for (const [at, content] of others.entries()) {
    const offset = parts.reduce((sum, { length }) => sum + length, 0);
    const before = versions[at] ?? Buffer.alloc(0);
    parts.push(...entry(OFFSET_DELTA, difference(before, content), distance(offset - last)));
    last = offset;
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function header(count: number): Buffer {
  const bytes = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

/** The type and the size of an object, what its base is, and its compressed content. */
function entry(type: number, content: Buffer, base: Buffer = Buffer.alloc(0)): readonly Buffer[] {
  const bytes = [(type << 4) | (content.length & 15)];
  for (let left = content.length >> 4; left > 0; left >>= 7) {
    bytes.push(left & 127);
    bytes[bytes.length - 2] = (bytes.at(-2) ?? 0) | 128;
  }
  return [Buffer.from(bytes), base, deflateSync(content)];
}

/** How many bytes before the object its base is. */
function distance(value: number): Buffer {
  const bytes = [value & 127];
  for (let left = (value >> 7) - 1; left >= 0; left = (left >> 7) - 1) bytes.unshift((left & 127) | 128);
  return Buffer.from(bytes);
}

/** All of the new content in pieces of at most 127 bytes. */
function difference(before: Buffer, content: Buffer): Buffer {
  const pieces: Buffer[] = [size(before.length), size(content.length)];
  for (let at = 0; at < content.length; at += 127) {
    const piece = content.subarray(at, at + 127);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

function size(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; left > 0 || bytes.length === 0; left >>= 7) bytes.push((left & 127) | (left > 127 ? 128 : 0));
  return Buffer.from(bytes);
}
