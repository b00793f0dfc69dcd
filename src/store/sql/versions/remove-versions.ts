import type { Queries } from '../space-rows.ts';

/** Removes all earlier versions of these documents, and counts what went. */
export async function removeVersions(database: Queries, documents: readonly number[]) {
  const files = await database
    .deleteFrom('version_files')
    .where('version_key', 'in', (from) =>
      from.selectFrom('document_versions').select('key').where('document_key', 'in', documents),
    )
    .executeTakeFirst();
  // A version whose content was given up is no more than a line.
  const kept = await database
    .deleteFrom('document_versions')
    .where('document_key', 'in', documents)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  await database.deleteFrom('document_versions').where('document_key', 'in', documents).execute();
  const vectors = await database
    .deleteFrom('past_chunk_vectors')
    .where('chunk_key', 'in', (from) =>
      from.selectFrom('past_chunks').select('key').where('document_key', 'in', documents),
    )
    .executeTakeFirst();
  const removed = await database.deleteFrom('past_chunks').where('document_key', 'in', documents).executeTakeFirst();
  const [versions, chunks] = [Number(kept.numDeletedRows), Number(removed.numDeletedRows)];
  // Each has an entry of its own, which goes with it by a trigger.
  const fullTextEntries = versions + chunks;
  return {
    versions,
    chunks,
    vectors: Number(vectors.numDeletedRows),
    fullTextEntries,
    files: Number(files.numDeletedRows),
  };
}
