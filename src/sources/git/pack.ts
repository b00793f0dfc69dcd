import { createHash } from 'node:crypto';
import { createInflate, inflateSync } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { applyDelta, resultSize } from './apply-delta.ts';
import { createBreather } from './breather.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface GitObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** The objects of one response, kept compressed in memory and inflated on demand. */
export interface Pack {
  has(oid: string): boolean;
  /** Undefined if the pack does not contain the object. Throws `too_large` before inflating more than `maxBytes`. */
  read(oid: string, maxBytes: number): GitObject | undefined;
}

interface Entry {
  /** Offset of the compressed data. */
  readonly start: number;
  readonly size: number;
  readonly kind: ObjectType | { readonly offset: number } | { readonly oid: string };
}

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFFSET_DELTA = 6;
const OID_DELTA = 7;
/** Maximum total size of the inflated objects; a pack can expand a thousandfold. */
const MAX_UNPACKED = 4_000_000_000;
/** Larger objects are hashed while streaming, without being held in memory. */
const LARGE = 4_000_000;
const MAX_CHAIN = 10_000;

/** Memory limits in addition to the pack itself, in bytes. */
export interface PackLimits {
  /** All deltas of one chain together. */
  readonly chain: number;
  /** Cache of recently inflated objects. */
  readonly cache: number;
  /** An object reconstructed from deltas in order to compute its id. */
  readonly named: number;
}

const LIMITS: PackLimits = { chain: 256_000_000, cache: 32_000_000, named: 32_000_000 };

/**
 * Indexes the objects of a pack and verifies its checksum. Throws `provider_failed` if it is damaged. Delta objects
 * that exceed the limits are not indexed.
 */
export async function readPack(
  pack: Buffer,
  hash: 'sha1' | 'sha256',
  signal: AbortSignal,
  limits: PackLimits = LIMITS,
): Promise<Pack> {
  const hashBytes = hash === 'sha1' ? 20 : 32;
  const end = pack.length - hashBytes;
  if (end < 12 || pack.toString('latin1', 0, 4) !== 'PACK' || ![2, 3].includes(pack.readUInt32BE(4))) throw damaged();
  if (!createHash(hash).update(pack.subarray(0, end)).digest().equals(pack.subarray(end))) throw damaged();
  const entries = new Map<number, Entry>();
  const byOid = new Map<string, number>();
  const cache = new Map<number, GitObject>();
  let cached = 0;
  const breathe = createBreather(signal);

  const unpack = ({ start, size }: Entry): Buffer => {
    try {
      const content = inflateSync(pack.subarray(start, end), { maxOutputLength: Math.max(size, 1) });
      if (content.length === size) return content;
    } catch (error) {
      throw damaged(error);
    }
    throw damaged();
  };

  /** Reconstructs an object by applying its chain of deltas to the base object. */
  function resolve(offset: number, maxBytes: number): GitObject {
    const chain: { readonly at: number; readonly delta: Buffer }[] = [];
    let held = 0;
    let found: GitObject | undefined;
    for (let at = offset; found === undefined; ) {
      found = cache.get(at);
      if (found !== undefined) break;
      const entry = entries.get(at);
      if (entry === undefined || chain.length > MAX_CHAIN) throw damaged();
      if (entry.size > maxBytes) throw tooLarge(maxBytes);
      const content = unpack(entry);
      if (typeof entry.kind === 'string') {
        found = keep(at, { type: entry.kind, content });
        break;
      }
      held += content.length;
      if (resultSize(content) > maxBytes || held > limits.chain) throw tooLarge(maxBytes);
      chain.push({ at, delta: content });
      const base = 'offset' in entry.kind ? entry.kind.offset : byOid.get(entry.kind.oid);
      if (base === undefined) throw damaged();
      at = base;
    }
    for (const { at, delta } of chain.reverse()) {
      found = keep(at, { type: found.type, content: applyDelta(found.content, delta) });
    }
    return found;
  }

  function keep(at: number, object: GitObject): GitObject {
    if (object.content.length > limits.cache / 4) return object;
    cache.set(at, object);
    cached += object.content.length;
    for (const [oldest, { content }] of cache) {
      if (cached <= limits.cache) break;
      cache.delete(oldest);
      cached -= content.length;
    }
    return object;
  }

  const nameOf = ({ type, content }: GitObject): string =>
    createHash(hash).update(`${type} ${content.length}\0`).update(content).digest('hex');

  const count = pack.readUInt32BE(8);
  let unpacked = 0;
  let at = 12;
  for (let index = 0; index < count; index++) {
    await breathe();
    const entry = readEntry(pack, at, hashBytes);
    entries.set(at, entry);
    unpacked += entry.size;
    if (unpacked > MAX_UNPACKED) throw tooLarge(MAX_UNPACKED);
    const { oid, length } = await measure(pack.subarray(entry.start, end), entry, hash);
    if (oid !== undefined) byOid.set(oid, at);
    at = entry.start + length;
  }
  if (at !== end) throw damaged();
  await nameDeltas();

  /** Computes the ids of delta objects. Takes several passes, because a delta may precede the base that it names. */
  async function nameDeltas(): Promise<void> {
    let left = [...entries].filter(([, { kind }]) => typeof kind !== 'string').map(([offset]) => offset);
    while (left.length > 0) {
      const waiting: number[] = [];
      for (const offset of left) {
        await breathe();
        const { kind } = entries.get(offset) ?? {};
        if (typeof kind === 'object' && 'oid' in kind && !byOid.has(kind.oid)) {
          waiting.push(offset);
          continue;
        }
        try {
          const object = resolve(offset, limits.named);
          unpacked += object.content.length;
          byOid.set(nameOf(object), offset);
        } catch (error) {
          // Too large to compute its id; the object is fetched on its own when it is needed.
          if (!(error instanceof ServiceError) || error.code !== 'too_large') throw error;
        }
        if (unpacked > MAX_UNPACKED) throw tooLarge(MAX_UNPACKED);
      }
      if (waiting.length === left.length) throw damaged();
      left = waiting;
    }
  }

  return {
    has: (oid) => byOid.has(oid),
    read(oid, maxBytes) {
      const offset = byOid.get(oid);
      if (offset === undefined) return undefined;
      const object = resolve(offset, maxBytes);
      if (object.content.length > maxBytes) throw tooLarge(maxBytes);
      return object;
    },
  };
}

function readEntry(pack: Buffer, offset: number, hashBytes: number): Entry {
  let at = offset;
  const next = (): number => pack[at++] ?? 0;
  let byte = next();
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 128; factor *= 128) {
    byte = next();
    size += (byte & 127) * factor;
    if (!Number.isSafeInteger(size)) throw damaged();
  }
  const whole = TYPES[type];
  if (whole !== undefined) return { start: at, size, kind: whole };
  if (type === OID_DELTA) {
    const oid = pack.toString('hex', at, at + hashBytes);
    return { start: at + hashBytes, size, kind: { oid } };
  }
  if (type !== OFFSET_DELTA) throw damaged();
  byte = next();
  let distance = byte & 127;
  while (byte & 128) {
    byte = next();
    distance = (distance + 1) * 128 + (byte & 127);
    if (distance > offset) throw damaged();
  }
  if (distance === 0) throw damaged();
  return { start: at, size, kind: { offset: offset - distance } };
}

/** The length of an entry's compressed data and, unless it is a delta, the object's id. */
async function measure(
  data: Buffer,
  { kind, size }: Entry,
  algorithm: 'sha1' | 'sha256',
): Promise<{ readonly oid: string | undefined; readonly length: number }> {
  const hash = createHash(algorithm).update(`${typeof kind === 'string' ? kind : ''} ${size}\0`);
  const name = () => (typeof kind === 'string' ? hash.digest('hex') : undefined);
  try {
    if (size <= LARGE) {
      const options = { maxOutputLength: Math.max(size, 1), info: true };
      // With `info`, inflateSync also returns the engine, which the type declarations omit.
      const { buffer, engine } = inflateSync(data, options) as unknown as {
        readonly buffer: Buffer;
        readonly engine: { readonly bytesWritten: number };
      };
      if (buffer.length !== size) throw damaged();
      hash.update(buffer);
      return { oid: name(), length: engine.bytesWritten };
    }
    const inflate = createInflate();
    let length = 0;
    inflate.end(data);
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > size) throw damaged();
      hash.update(chunk);
    }
    if (length !== size) throw damaged();
    return { oid: name(), length: inflate.bytesWritten };
  } catch (error) {
    throw damaged(error);
  }
}

const damaged = (cause?: unknown): ServiceError =>
  new ServiceError('provider_failed', 'What the Git server sent is damaged.', { cause });

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('too_large', `It has more than the ${byteCount(maxBytes)} that are read.`);
