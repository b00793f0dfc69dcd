import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { factsOf, newObjectName } from '../../originals/object-name.ts';
import type { ObjectStore } from '../../originals/object-store.ts';
import { fromMemory, type Original } from '../../originals/original.ts';
import { MissingObject, readObject, streamObject } from '../../originals/read-object.ts';
import type { Database } from '../database.ts';
import { dialectOf } from '../sql-dialect.ts';
import { GRACE_MS, noteObjects } from './object-notes.ts';
import { type FindOriginal, type FoundOriginal, streamRecord, type WantedBytes, wantedBytes } from './record-pieces.ts';

/** How a record stores an original: as bytes, or as the name of the object that holds them. */
export interface OriginalColumns {
  readonly bytes: Uint8Array;
  readonly object: string | null;
}

/** The uploaded files of the records, which are stored in the database or as objects outside of it. */
export interface OriginalRecords {
  /**
   * Stores the bytes, then calls `write` to write the record and to withdraw the note of its object (`confirmObjects`).
   * A crash or a failure in between leaves at most an object that no record refers to, which is removed later.
   */
  store<T>(bytes: Uint8Array, write: (columns: OriginalColumns) => Promise<T>): Promise<T>;
  /** The original that `find` finds. `find` is called again if the object has been replaced meanwhile. */
  open(find: FindOriginal): Promise<Original | undefined>;
  read(find: FindOriginal): Promise<Uint8Array | undefined>;
  /** Removes objects that no record refers to any more, in the background. */
  tidy(): void;
}

export interface OriginalParts {
  readonly sqlite: Pick<Database, 'writer'>;
  readonly objects: ObjectStore | undefined;
  /** Called when an object is no longer needed. */
  readonly onUnneeded: () => void;
  /** Time after which an object that no record refers to is removed: longer than any upload to the storage takes. */
  readonly graceMs?: number;
}

/**
 * Bytes of a large file that one statement reads. PostgreSQL stores a file in slices; SQLite reads the whole file for
 * any part of it, so further statements would only repeat that.
 */
const PIECE_BYTES = { postgres: 8_000_000, sqlite: Number.MAX_SAFE_INTEGER };
const NO_BYTES = new Uint8Array();

export function createOriginalRecords(parts: OriginalParts): OriginalRecords {
  const { sqlite, objects, onUnneeded, graceMs = GRACE_MS } = parts;
  const { writer } = sqlite;
  const pieceBytes = PIECE_BYTES[dialectOf(writer).name];

  async function read(find: FindOriginal): Promise<Uint8Array | undefined> {
    for (let before: string | undefined; ; ) {
      const columns = await find('all');
      if (columns === undefined || columns.object === null) return columns?.bytes ?? undefined;
      const { object } = columns;
      try {
        return await readObject(required(objects), object);
      } catch (error) {
        // Its record may have been replaced or removed since it was read, and the object with it.
        if (!(error instanceof MissingObject) || object === before) throw error;
        before = object;
      }
    }
  }

  return {
    read,
    tidy: onUnneeded,

    async open(find) {
      const found = await find('small');
      if (found === undefined) return undefined;
      const { object, bytes, size } = found;
      if (object === null && bytes !== null) return fromMemory(bytes);
      return {
        sizeInBytes: object === null ? size : factsOf(object).size,
        async read() {
          const whole = await read(find);
          if (whole !== undefined) return whole;
          throw new ServiceError('not_found', 'The document was removed while its file was read.');
        },
        stream: (options) =>
          object === null
            ? streamRecord(find, found, { ...options, pieceBytes })
            : streamObject(required(objects), object, options),
      };
    },

    async store(bytes, write) {
      if (objects === undefined) return write({ bytes, object: null });
      const hash = createHash('sha256').update(bytes).digest('hex');
      const object = newObjectName({ hash, size: bytes.byteLength });
      // Recorded first, so that the object is known whatever happens from now on.
      await noteObjects(writer, [object], graceMs);
      // A failed upload may still complete, so its note is kept.
      await objects.put(object, bytes);
      try {
        return await write({ bytes: NO_BYTES, object });
      } catch (error) {
        await writer
          .updateTable('object_removals')
          .set({ due_at: '' })
          .where('object', '=', object)
          .execute()
          .catch(() => {});
        onUnneeded();
        throw error;
      }
    },
  };
}

function required(objects: ObjectStore | undefined): ObjectStore {
  if (objects !== undefined) return objects;
  throw new ServiceError(
    'not_configured',
    'This file is in an object storage that CITEWELL_ORIGINALS does not name. Restore the setting used when it was stored.',
  );
}

/** Columns of the visible original, from `document_files` as `f` left-joined with `visible_originals` as `o`. */
export const visibleColumns = sql<OriginalColumns>`
  case when o.document_key is null then f.bytes else o.bytes end as bytes,
  case when o.document_key is null then f.object else o.object end as object`;

/** Like `visibleColumns`, with only the wanted bytes, and the size of the file. */
export const foundVisible = (wanted: WantedBytes) => {
  const [waiting, seen] = [sql<Uint8Array>`f.bytes`, sql<Uint8Array>`o.bytes`];
  return sql<Omit<FoundOriginal, 'identity'>>`
    case when o.document_key is null then ${wantedBytes(waiting, wanted)} else ${wantedBytes(seen, wanted)} end as bytes,
    case when o.document_key is null then octet_length(f.bytes) else octet_length(o.bytes) end as size,
    case when o.document_key is null then f.object else o.object end as object`;
};
