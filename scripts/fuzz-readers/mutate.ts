import { readZipEntries, unpackEntry } from '../../src/ingest/readers/containers/zip-entries.ts';
import { makeZip, type ZipPart } from '../../test/ingest/make-docx.ts';
import type { Random } from '../seeded-random.ts';

/** One kind of mutation; returns the changed copy. */
type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** Bytes with a meaning in many formats: extreme numbers, terminators, brackets, byte order marks, signatures. */
const SIGNIFICANT_BYTES: readonly [Buffer, ...Buffer[]] = [
  Buffer.from([0]),
  Buffer.from([0xff]),
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0xff, 0xff, 0xff, 0x7f]),
  Buffer.from([0, 0, 0, 0x80]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from('PK\x03\x04', 'latin1'),
  Buffer.from('\r\n\r\n'),
  Buffer.from('<'),
  Buffer.from(']]>'),
  Buffer.from('"'),
  Buffer.from('{{{{'),
  Buffer.from('--'),
  Buffer.from('%00../'),
  Buffer.from('9'.repeat(20)),
  Buffer.from('\u202e\u0000'),
];

const stretch = ({ length }: Buffer, random: Random, max = 400): [number, number] => {
  const start = random.integer(0, Math.max(0, length - 1));
  return [start, Math.min(length, start + random.integer(1, max))];
};

const mutations: readonly [Mutation, ...Mutation[]] = [
  function flipBits(bytes, random) {
    const changed = Buffer.from(bytes);
    for (let count = random.integer(1, 30); count > 0 && changed.length > 0; count--) {
      const at = random.integer(0, changed.length - 1);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.integer(0, 7));
    }
    return changed;
  },
  function overwrite(bytes, random) {
    const changed = Buffer.from(bytes);
    const [start, end] = stretch(changed, random);
    for (let at = start; at < end; at++) changed[at] = random.integer(0, 255);
    return changed;
  },
  function cutOff(bytes, random) {
    return bytes.subarray(0, random.integer(0, bytes.length));
  },
  function cutOut(bytes, random) {
    const [start, end] = stretch(bytes, random, 2_000);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  function duplicate(bytes, random) {
    const [start, end] = stretch(bytes, random, 2_000);
    const copies = Array<Buffer>(random.integer(1, 200)).fill(bytes.subarray(start, end));
    return Buffer.concat([bytes.subarray(0, end), ...copies, bytes.subarray(end)]);
  },
  function insert(bytes, random) {
    const at = random.integer(0, bytes.length);
    const piece = random.pick(SIGNIFICANT_BYTES);
    const times = random.chance(0.1) ? random.integer(100, 20_000) : random.integer(1, 5);
    return Buffer.concat([bytes.subarray(0, at), ...Array<Buffer>(times).fill(piece), bytes.subarray(at)]);
  },
  function replace(bytes, random) {
    const changed = Buffer.from(bytes);
    for (let count = random.integer(1, 8); count > 0; count--)
      random.pick(SIGNIFICANT_BYTES).copy(changed, random.integer(0, Math.max(0, changed.length - 1)));
    return changed;
  },
  function zeroOut(bytes, random) {
    const changed = Buffer.from(bytes);
    changed.fill(0, ...stretch(changed, random, 4_000));
    return changed;
  },
  function moveStretch(bytes, random) {
    const [start, end] = stretch(bytes, random, 2_000);
    const rest = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
    const at = random.integer(0, rest.length);
    return Buffer.concat([rest.subarray(0, at), bytes.subarray(start, end), rest.subarray(at)]);
  },
];

/** Returns a mutated copy, determined by `random`. Half of the archives are mutated inside their entries. */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  const whole = Buffer.from(bytes);
  const parts = random.chance(0.5) ? partsOf(whole) : undefined;
  if (parts !== undefined && parts.length > 0) return makeZip(mutateParts(parts, random));
  return times(random.integer(1, 3), whole, (one) => random.pick(mutations)(one, random));
}

function partsOf(bytes: Buffer): ZipPart[] | undefined {
  const entries = readZipEntries(bytes);
  return entries?.flatMap((entry) => {
    const content = unpackEntry(bytes, entry, 10_000_000);
    return content === undefined ? [] : [{ name: entry.name, content }];
  });
}

/** Mutates unpacked archive entries, so that the mutations reach their readers, or swaps the names of entries. */
function mutateParts(parts: readonly ZipPart[], random: Random): ZipPart[] {
  const changed = [...parts];
  const pickIndex = () => random.integer(0, changed.length - 1);
  if (random.chance(0.2)) {
    const [one, other] = [pickIndex(), pickIndex()];
    const [left, right] = [changed[one], changed[other]];
    if (left !== undefined && right !== undefined) {
      changed[one] = { name: left.name, content: right.content };
      changed[other] = { name: right.name, content: left.content };
    }
    return changed;
  }
  const at = pickIndex();
  const part = changed[at];
  if (part !== undefined) {
    const content = Buffer.from(part.content as Uint8Array);
    changed[at] = {
      name: part.name,
      content: times(random.integer(1, 3), content, (one) => random.pick(mutations)(one, random)),
    };
  }
  return changed;
}

function times(count: number, start: Buffer, change: (bytes: Buffer) => Buffer): Buffer {
  let bytes = start;
  for (let round = 0; round < count; round++) bytes = change(bytes);
  return bytes;
}
