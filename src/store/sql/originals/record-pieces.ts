import { type RawBuilder, sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { ReadOptions } from '../../originals/object-store.ts';

/** Which bytes of a record are read: all, a part of them, or all of a small file and none of a large one. */
export type WantedBytes = 'all' | 'small' | { readonly at: number; readonly length: number };

/** An original as found in its record. */
export interface FoundOriginal {
  /** The wanted bytes; null for a large file if `small` was wanted. */
  readonly bytes: Uint8Array | null;
  /** Name of the object that holds the file; null if the record itself does. */
  readonly object: string | null;
  /** Size of the whole file in bytes, if the record holds it. */
  readonly size: number;
  /** Differs whenever the stored file differs. */
  readonly identity: string;
}

export type FindOriginal = (wanted: WantedBytes) => Promise<FoundOriginal | undefined>;

/** Files up to this size are read in one piece. */
const SMALL_BYTES = 1_000_000;

export const wantedBytes = (bytes: RawBuilder<Uint8Array>, wanted: WantedBytes): RawBuilder<Uint8Array | null> => {
  if (wanted === 'all') return bytes;
  if (wanted === 'small') return sql`case when octet_length(${bytes}) <= ${SMALL_BYTES} then ${bytes} end`;
  const { at, length } = wanted;
  return sql`substr(${bytes}, cast(${at + 1} as integer), cast(${length} as integer))`;
};

/**
 * Streams a file in the database in pieces of `pieceBytes`. Each piece is read by its own statement, so that a slow
 * receiver holds no transaction open. Throws `conflict` if the record's file has been replaced meanwhile.
 */
export async function* streamRecord(
  find: FindOriginal,
  { size, identity }: FoundOriginal,
  { range, signal, pieceBytes }: ReadOptions & { readonly pieceBytes: number },
): AsyncGenerator<Uint8Array, void> {
  const end = range?.end ?? size - 1;
  for (let at = range?.start ?? 0; at <= end; at += pieceBytes) {
    signal?.throwIfAborted();
    const isWhole = at === 0 && end === size - 1 && pieceBytes >= size;
    const piece = await find(isWhole ? 'all' : { at, length: Math.min(pieceBytes, end + 1 - at) });
    if (!piece?.bytes || piece.object !== null || piece.size !== size || piece.identity !== identity) {
      throw new ServiceError(
        'conflict',
        'The document was replaced or removed while its file was read. Read it again.',
      );
    }
    yield piece.bytes;
  }
}
