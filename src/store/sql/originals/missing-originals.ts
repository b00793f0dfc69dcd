import { type Kysely, sql } from 'kysely';
import type { ObjectStore } from '../../originals/object-store.ts';
import type { MissingOriginal, OriginalsFound } from '../../originals/originals-found.ts';
import type { Tables } from '../schema.ts';

interface FindParts {
  /** Each query sees the current state of the database. */
  readonly reader: Kysely<Tables>;
  readonly objects: Pick<ObjectStore, 'list'>;
  readonly signal?: AbortSignal | undefined;
}

/** Object names begin with a hash, so one first digit at a time holds only a sixteenth of them in memory. */
const FIRST_DIGITS = [...'0123456789abcdef'];

/** Compares the records with a list of the objects in their storage. */
export async function findMissingOriginals({ reader, objects, signal }: FindParts): Promise<OriginalsFound> {
  let files = 0;
  const missing: MissingOriginal[] = [];
  for (const digit of FIRST_DIGITS) {
    const wanted = await referredTo(reader, sql`like ${`${digit}%`}`);
    files += wanted.size;
    if (wanted.size === 0) continue;
    for await (const object of objects.list(digit, signal)) wanted.delete(object);
    for (const object of wanted.keys()) {
      // The record may have been replaced or removed since it was read.
      missing.push(...(await referredTo(reader, sql`= ${object}`)).values());
    }
  }
  return { files, missing };
}

/** The document whose file, or the file of one of its versions, is this object; undefined if there is none. */
export const documentOfObject = async (reader: Kysely<Tables>, object: string): Promise<MissingOriginal | undefined> =>
  (await referredTo(reader, sql`= ${object}`)).get(object);

/** The documents whose records refer to objects that fulfil the condition, by object name. */
async function referredTo(
  reader: Kysely<Tables>,
  condition: ReturnType<typeof sql>,
): Promise<Map<string, MissingOriginal>> {
  const { rows } = await sql<MissingOriginal & { readonly object: string }>`
    select f.object, d.id, d.title from document_files f join documents d on d.key = f.document_key
    where f.object ${condition}
    union all select o.object, d.id, d.title from visible_originals o join documents d on d.key = o.document_key
    where o.object ${condition}
    union all select f.object, d.id, v.title from version_files f
    join document_versions v on v.key = f.version_key join documents d on d.key = v.document_key
    where f.object ${condition}`.execute(reader);
  return new Map(rows.map(({ object, id, title }) => [object, { id, title }]));
}
