import { sql } from 'kysely';
import type { FoundBySource, SourcePlace, SourceRecords } from '../../source-records.ts';
import type { Database } from '../database.ts';
import { addFullText, removeFullText } from '../full-text/full-text-rows.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { type DocumentRow, readSubmitted, settingsIn, toDocuments } from './document-rows.ts';
import { readOne, requireRow, update } from './ingestions.ts';

/** Sorts after every character a URL can contain. */
const END_OF_PREFIX = '\u{10ffff}';
const PLACES_PER_QUERY = 200;

export function createSourceRecords({ reader, writer }: Database): SourceRecords {
  return {
    async find(ownerId, places) {
      const found: (FoundBySource | undefined)[] = [];
      for (const batch of inBatches(places, PLACES_PER_QUERY))
        found.push(...(await findPlaces(reader, ownerId, batch)));
      return found;
    },

    below: async (ownerId, query) => toDocuments(reader, await selectBelow(reader, ownerId, query).execute()),

    updateSource: (id, { source, fileName }) =>
      writer.transaction().execute(async (transaction) => {
        const row = await requireRow(transaction, id);
        const title = isNamedByItsFile(row) ? fileName : row.title;
        const isVisible = row.generation > 0;
        const submitted = readSubmitted(row);
        if (isVisible) await removeFullText(transaction, row.key, row.generation);
        await update(transaction, row.key, {
          source,
          file_name: fileName,
          title,
          ...(submitted !== null && { submitted: JSON.stringify({ ...submitted, source, fileName }) }),
        });
        if (isVisible) await addFullText(transaction, row.key, row.generation);
        return readOne(transaction, id);
      }),
  };
}

/** The rows of the owner's documents whose source begins with the prefix, ordered by source. */
export function selectBelow(
  database: Queries,
  ownerId: string,
  { prefix, contentHash, after, limit }: Parameters<SourceRecords['below']>[1],
) {
  let query = database
    .selectFrom('documents')
    .selectAll()
    .where('source', '>=', prefix)
    .where('source', '<', prefix + END_OF_PREFIX)
    // As an expression, because SQLite would otherwise read and sort all documents of the owner for each page.
    .where(sql<string>`coalesce(owner_id, '')`, '=', ownerId);
  if (contentHash !== undefined) query = query.where('content_hash', '=', contentHash);
  if (after !== undefined) query = query.where('source', '>', after);
  return query.orderBy('source').orderBy('key').limit(limit);
}

async function findPlaces(
  database: Queries,
  ownerId: string,
  places: readonly SourcePlace[],
): Promise<(FoundBySource | undefined)[]> {
  const sources = places.map(({ source }) => source);
  const ids = new Set(places.map(({ id }) => id));
  // Without the owner, because SQLite would otherwise read all documents of the owner.
  const all = await database
    .selectFrom('documents')
    .selectAll()
    .where(({ or, eb }) => or([eb('source', 'in', sources), eb('id', 'in', [...ids])]))
    .orderBy('key', 'desc')
    .execute();
  const rows = all.filter(({ id, owner_id }) => owner_id === ownerId || ids.has(id));
  const documents = await toDocuments(database, rows);
  const bySource = new Map<string | null, Omit<FoundBySource, 'hasSource'>>();
  const byId = new Map<string, Omit<FoundBySource, 'hasSource'>>();
  // The first document with a source comes last.
  for (const [index, row] of rows.entries()) {
    const document = documents[index];
    if (document === undefined) continue;
    const found = { document, settings: settingsIn(row) };
    byId.set(row.id, found);
    if (row.owner_id === ownerId) bySource.set(row.source, found);
  }
  return places.map(({ source, id }) => {
    const there = bySource.get(source);
    if (there !== undefined) return { ...there, hasSource: true };
    const found = byId.get(id);
    return found && { ...found, hasSource: false };
  });
}

function isNamedByItsFile({ title, file_name, settings }: DocumentRow): boolean {
  return title === file_name && (JSON.parse(settings) as { given_title?: unknown }).given_title !== true;
}
