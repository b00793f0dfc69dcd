import { createHash } from 'node:crypto';
import { createInflate, inflateSync } from 'node:zlib';
import { ServiceError } from '../../errors.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
export type HashName = 'sha1' | 'sha256';

/** An object in a pack, whole or as a delta to another. */
export interface Entry {
  /** Offset of the compressed data. */
  readonly start: number;
  readonly size: number;
  readonly kind: ObjectType | { readonly offset: number } | { readonly oid: string };
}

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFFSET_DELTA = 6;
const OID_DELTA = 7;
/** Larger objects are hashed while streaming, without being held in memory. */
const LARGE = 4_000_000;

/** The header of the entry at this offset. */
export function readEntry(pack: Buffer, offset: number, hashBytes: number): Entry {
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
export async function measure(
  data: Buffer,
  { kind, size }: Entry,
  algorithm: HashName,
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

export const damaged = (cause?: unknown): ServiceError =>
  new ServiceError('provider_failed', 'What the Git server sent is damaged.', { cause });
