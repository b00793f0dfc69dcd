import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { applyDelta, resultSize } from './apply-delta.ts';
import { damaged, type Entry, type HashName, measure, type ObjectType, readEntry } from './pack-entry.ts';
import { createPeriodicYield } from './periodic-yield.ts';

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

/** Maximum total size of the inflated objects; a pack can expand a thousandfold. */
const MAX_UNPACKED = 4_000_000_000;
const MAX_CHAIN = 10_000;
const HEADER_BYTES = 12;

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
  hash: HashName,
  signal: AbortSignal,
  limits: PackLimits = LIMITS,
): Promise<Pack> {
  const data = withoutChecksum(pack, hash);
  const objects = new PackObjects(data, hash, limits);
  const yieldToEventLoop = createPeriodicYield(signal);
  await objects.index(data.readUInt32BE(8), yieldToEventLoop);
  await objects.nameDeltas(yieldToEventLoop);
  return objects;
}

/** Checks the header and the checksum, and returns all but the checksum. */
function withoutChecksum(pack: Buffer, hash: HashName): Buffer {
  const data = pack.subarray(0, Math.max(0, pack.length - HASH_BYTES[hash]));
  if (data.length < HEADER_BYTES || data.toString('latin1', 0, 4) !== 'PACK') throw damaged();
  if (![2, 3].includes(data.readUInt32BE(4))) throw damaged();
  if (!createHash(hash).update(data).digest().equals(pack.subarray(data.length))) throw damaged();
  return data;
}

const HASH_BYTES: Readonly<Record<HashName, number>> = { sha1: 20, sha256: 32 };

class PackObjects implements Pack {
  /** The header and all entries. */
  readonly #data: Buffer;
  readonly #hash: HashName;
  readonly #limits: PackLimits;
  /** By offset in the pack. */
  readonly #entries = new Map<number, Entry>();
  readonly #byOid = new Map<string, number>();
  /** Recently inflated objects by offset, the oldest first. */
  readonly #cache = new Map<number, GitObject>();
  #cachedBytes = 0;
  #unpackedBytes = 0;

  constructor(data: Buffer, hash: HashName, limits: PackLimits) {
    this.#data = data;
    this.#hash = hash;
    this.#limits = limits;
  }

  has(oid: string): boolean {
    return this.#byOid.has(oid);
  }

  read(oid: string, maxBytes: number): GitObject | undefined {
    const offset = this.#byOid.get(oid);
    if (offset === undefined) return undefined;
    const object = this.#resolve(offset, maxBytes);
    if (object.content.length > maxBytes) throw tooLarge(maxBytes);
    return object;
  }

  /** Finds where each entry begins, and the ids of those that are no deltas. */
  async index(count: number, yieldToEventLoop: () => Promise<void>): Promise<void> {
    let at = HEADER_BYTES;
    for (let index = 0; index < count; index++) {
      await yieldToEventLoop();
      const entry = readEntry(this.#data, at, HASH_BYTES[this.#hash]);
      this.#entries.set(at, entry);
      this.#countUnpacked(entry.size);
      const { oid, length } = await measure(this.#data.subarray(entry.start), entry, this.#hash);
      if (oid !== undefined) this.#byOid.set(oid, at);
      at = entry.start + length;
    }
    if (at !== this.#data.length) throw damaged();
  }

  /** Computes the ids of delta objects. Takes several passes, because a delta may precede the base that it names. */
  async nameDeltas(yieldToEventLoop: () => Promise<void>): Promise<void> {
    let left = [...this.#entries].filter(([, { kind }]) => typeof kind !== 'string');
    while (left.length > 0) {
      const waiting: typeof left = [];
      for (const [offset, entry] of left) {
        await yieldToEventLoop();
        if (this.#isBaseKnown(entry)) this.#nameDelta(offset);
        else waiting.push([offset, entry]);
      }
      if (waiting.length === left.length) throw damaged();
      left = waiting;
    }
  }

  #isBaseKnown({ kind }: Entry): boolean {
    return typeof kind === 'string' || 'offset' in kind || this.#byOid.has(kind.oid);
  }

  #nameDelta(offset: number): void {
    const object = this.#resolveToName(offset);
    if (object === undefined) return;
    const { type, content } = object;
    this.#countUnpacked(content.length);
    const oid = createHash(this.#hash).update(`${type} ${content.length}\0`).update(content).digest('hex');
    this.#byOid.set(oid, offset);
  }

  /** Undefined if the object is too large to compute its id; it is fetched on its own when it is needed. */
  #resolveToName(offset: number): GitObject | undefined {
    try {
      return this.#resolve(offset, this.#limits.named);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'too_large') return undefined;
      throw error;
    }
  }

  /** Reconstructs an object by applying its chain of deltas to the base object. */
  #resolve(offset: number, maxBytes: number): GitObject {
    const deltas: { readonly at: number; readonly delta: Buffer }[] = [];
    let held = 0;
    let at = offset;
    let found = this.#cache.get(at);
    while (found === undefined) {
      const entry = this.#entries.get(at);
      if (entry === undefined || deltas.length > MAX_CHAIN) throw damaged();
      if (entry.size > maxBytes) throw tooLarge(maxBytes);
      const content = this.#unpack(entry);
      if (typeof entry.kind === 'string') {
        found = this.#keep(at, { type: entry.kind, content });
        break;
      }
      held += content.length;
      if (resultSize(content) > maxBytes || held > this.#limits.chain) throw tooLarge(maxBytes);
      deltas.push({ at, delta: content });
      const base = 'offset' in entry.kind ? entry.kind.offset : this.#byOid.get(entry.kind.oid);
      if (base === undefined) throw damaged();
      at = base;
      found = this.#cache.get(at);
    }
    for (const { at: place, delta } of deltas.reverse()) {
      found = this.#keep(place, { type: found.type, content: applyDelta(found.content, delta) });
    }
    return found;
  }

  #unpack({ start, size }: Entry): Buffer {
    try {
      const content = inflateSync(this.#data.subarray(start), { maxOutputLength: Math.max(size, 1) });
      if (content.length === size) return content;
    } catch (error) {
      throw damaged(error);
    }
    throw damaged();
  }

  #keep(at: number, object: GitObject): GitObject {
    if (object.content.length > this.#limits.cache / 4) return object;
    this.#cache.set(at, object);
    this.#cachedBytes += object.content.length;
    for (const [oldest, { content }] of this.#cache) {
      if (this.#cachedBytes <= this.#limits.cache) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= content.length;
    }
    return object;
  }

  #countUnpacked(bytes: number): void {
    this.#unpackedBytes += bytes;
    if (this.#unpackedBytes > MAX_UNPACKED) throw tooLarge(MAX_UNPACKED);
  }
}

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('too_large', `It has more than the ${byteCount(maxBytes)} that are read.`);
