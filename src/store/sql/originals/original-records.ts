import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { factsOf, newObjectName } from '../../originals/object-name.ts';
import type { ObjectStore } from '../../originals/object-store.ts';
import { fromMemory, type Original } from '../../originals/original.ts';
import { MissingObject, readObject, streamObject } from '../../originals/read-object.ts';
import type { Database } from '../database.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** How a record has an original: its bytes, or the name of an object that has them. */
export interface OriginalColumns {
  readonly bytes: Uint8Array;
  readonly object: string | null;
}

/** The columns of a record, and what is to be called in the transaction that writes them. */
export interface StoredOriginal {
  readonly columns: OriginalColumns;
  confirm(transaction: Queries): Promise<void>;
}

/** Where the records have the uploaded files: in the database, or as objects outside of it. */
export interface OriginalRecords {
  /**
   * Stores bytes where they belong, then lets `write` write the record. A crash or a failure in between leaves at most an
   * object that no record refers to, which is removed later.
   */
  store<T>(bytes: Uint8Array, write: (stored: StoredOriginal) => Promise<T>): Promise<T>;
  /** The original that `find` finds, which is asked again when its object has been replaced meanwhile. */
  open(find: FindColumns): Promise<Original | undefined>;
  read(find: FindColumns): Promise<Uint8Array | undefined>;
  /** Removes what no record refers to any more, in the background. */
  tidy(): void;
}

type FindColumns = () => Promise<OriginalColumns | undefined>;

export interface OriginalParts {
  readonly sqlite: Pick<Database, 'writer'>;
  readonly objects: ObjectStore | undefined;
  /** Called when an object is no longer needed. */
  readonly onUnneeded: () => void;
  /** Time after which an object that no record refers to is removed: longer than any upload to the storage takes. */
  readonly graceMs?: number;
}

const GRACE_MS = 6 * 3600 * 1000;
const NO_BYTES = new Uint8Array();

export function createOriginalRecords(parts: OriginalParts): OriginalRecords {
  const { sqlite, objects, onUnneeded, graceMs = GRACE_MS } = parts;
  const { writer } = sqlite;

  async function read(find: FindColumns): Promise<Uint8Array | undefined> {
    for (let before: string | undefined; ; ) {
      const columns = await find();
      if (columns === undefined || columns.object === null) return columns?.bytes;
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
      const columns = await find();
      if (columns === undefined) return undefined;
      const { object, bytes } = columns;
      if (object === null) return fromMemory(bytes);
      return {
        sizeInBytes: factsOf(object).size,
        async read() {
          const found = await read(find);
          if (found !== undefined) return found;
          throw new ServiceError('not_found', 'The document was removed while its file was read.');
        },
        stream: (options) => streamObject(required(objects), object, options),
      };
    },

    async store(bytes, write) {
      if (objects === undefined) return write({ columns: { bytes, object: null }, confirm: async () => {} });
      const hash = createHash('sha256').update(bytes).digest('hex');
      const object = newObjectName({ hash, size: bytes.byteLength });
      // Noted first: whatever happens from now on, the object is known.
      await noteObjects(writer, [object], graceMs);
      // One that failed may arrive yet, so that its note stays.
      await objects.put(object, bytes);
      try {
        const columns = { bytes: NO_BYTES, object };
        return await write({ columns, confirm: (transaction) => confirmObjects(transaction, [object]) });
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

/** Notes objects that are about to be written, to be removed when no record refers to them after the grace time. */
export async function noteObjects(writer: Queries, objects: readonly string[], graceMs = GRACE_MS): Promise<void> {
  const due_at = new Date(Date.now() + graceMs).toISOString();
  await writer
    .insertInto('object_removals')
    .values(objects.map((object) => ({ object, due_at })))
    .execute();
}

/** Takes the notes back, in the transaction that writes the records. Throws where an object is being removed already. */
export async function confirmObjects(transaction: Queries, objects: readonly string[]): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('object_removals')
    .where('object', 'in', objects)
    .where('claimed_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(numDeletedRows) === objects.length) return;
  throw new ServiceError('store_failed', 'Storing the file took too long. Upload it again.');
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
