import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { factsOf } from './object-name.ts';
import type { ObjectStore, ReadOptions } from './object-store.ts';

/** A record names an object that the storage does not have. */
export class MissingObject extends ServiceError {}

/** The bytes of an object are not those that its name states. */
export class DamagedObject extends ServiceError {
  constructor(objects: Pick<ObjectStore, 'name'>, object: string, reason: string) {
    super(
      'store_failed',
      `The object ${object} in ${objects.name} is damaged: ${reason}. ` +
        'Restore it from a version of the bucket or a backup, or upload the document again.',
      { publicMessage: 'The stored file of this document is damaged. Delete the document, and upload it again.' },
    );
  }
}

/** Number of consecutive reads without a single byte after which a stream fails. */
const MAX_EMPTY_READS = 3;

/**
 * The bytes of an object in pieces. An interrupted read is resumed. If the whole object is read, its hash is verified
 * before the last piece is yielded, so that nobody mistakes a damaged file for a complete one.
 */
export async function* streamObject(
  objects: ObjectStore,
  object: string,
  { range, signal }: ReadOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const { hash, size } = factsOf(object);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const isWhole = start === 0 && end === size - 1;
  const hashed = createHash('sha256');
  let at = start;
  let last: Uint8Array | undefined;
  for (let readsWithoutProgress = 0; at <= end; ) {
    const before = at;
    const isPartial = at > 0 || end < size - 1;
    const found = await objects.get(object, { ...(isPartial && { range: { start: at, end } }), signal });
    if (found === undefined) {
      throw new MissingObject(
        'store_failed',
        `The object ${object} is missing in ${objects.name}. "citewell doctor" names its document.`,
        {
          publicMessage:
            'The file of this document is missing in the storage of the uploaded files. Delete the document, and upload it again.',
        },
      );
    }
    try {
      for await (const piece of found) {
        if (last !== undefined) yield last;
        last = piece;
        hashed.update(piece);
        at += piece.byteLength;
        if (at > end + 1) break;
      }
    } catch (error) {
      readsWithoutProgress = at > before ? 0 : readsWithoutProgress + 1;
      if (signal?.aborted || readsWithoutProgress >= MAX_EMPTY_READS) throw error;
      continue;
    }
    // The response was complete; interrupted ones throw.
    if (at <= end) throw new DamagedObject(objects, object, `it ends after ${at} of ${size} bytes`);
  }
  if (at > end + 1) throw new DamagedObject(objects, object, `it is longer than ${size} bytes`);
  if (isWhole && hashed.digest('hex') !== hash) {
    throw new DamagedObject(objects, object, 'its SHA-256 does not match its name');
  }
  if (last !== undefined) yield last;
}

/** The verified bytes of an object, in one buffer. */
export async function readObject(objects: ObjectStore, object: string, signal?: AbortSignal): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(factsOf(object).size);
  let at = 0;
  for await (const piece of streamObject(objects, object, { signal })) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
