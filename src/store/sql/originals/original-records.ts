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
import { type FindOriginal, type FoundOriginal, streamRecord, type Wanted, wantedBytes } from './record-pieces.ts';

/** How a record has an original: its bytes, or the name of an object that has them. */
export interface OriginalColumns {
  readonly bytes: Uint8Array;
  readonly object: string | null;
}

/** Where the records have the uploaded files: in the database, or as objects outside of it. */
export interface OriginalRecords {
  /**
   * Stores bytes where they belong, then lets `write` write the record, and take the note of its object back
   * (`confirmObjects`). A crash or a failure in between leaves at most an
   * object that no record refers to, which is removed later.
   */
  store<T>(bytes: Uint8Array, write: (columns: OriginalColumns) => Promise<T>): Promise<T>;
  /** The original that `find` finds, which is asked again when its object has been replaced meanwhile. */
  open(find: FindOriginal): Promise<Original | undefined>;
  read(find: FindOriginal): Promise<Uint8Array | undefined>;
  /** Removes what no record refers to any more, in the background. */
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
 * What one statement reads of a large file. PostgreSQL keeps a file in slices; SQLite reads all of it for any part, so that
 * further statements would only repeat that.
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
      // Noted first: whatever happens from now on, the object is known.
      await noteObjects(writer, [object], graceMs);
      // One that failed may arrive yet, so that its note stays.
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
    'This file is an object of a storage that CITEWELL_ORIGINALS does not name. Set it as it was when the file was stored.',
  );
}

/** Of the table `document_files` as `f` with `visible_originals` as `o`: what is seen, and not a successor that waits. */
export const visibleColumns = sql<OriginalColumns>`
  case when o.document_key is null then f.bytes else o.bytes end as bytes,
  case when o.document_key is null then f.object else o.object end as object`;

/** The same of tables with these names, as far as it is wanted. */
export const foundVisible = (wanted: Wanted) => {
  const [waiting, seen] = [sql<Uint8Array>`f.bytes`, sql<Uint8Array>`o.bytes`];
  return sql<Omit<FoundOriginal, 'identity'>>`
    case when o.document_key is null then ${wantedBytes(waiting, wanted)} else ${wantedBytes(seen, wanted)} end as bytes,
    case when o.document_key is null then octet_length(f.bytes) else octet_length(o.bytes) end as size,
    case when o.document_key is null then f.object else o.object end as object`;
};
