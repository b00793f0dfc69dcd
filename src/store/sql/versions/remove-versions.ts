import type { Queries } from '../vector-spaces/space-rows.ts';

/** Removes all earlier versions of these documents; returns the counts of what was removed. */
export async function removeVersions(database: Queries, documents: readonly number[]) {
  const files = await database
    .deleteFrom('version_files')
    .where('version_key', 'in', (from) =>
      from.selectFrom('document_versions').select('key').where('document_key', 'in', documents),
    )
    .executeTakeFirst();
  // Only versions whose content is still kept are counted.
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
  // Each has one full-text entry, which a trigger deletes with it.
  const fullTextEntries = versions + chunks;
  return {
    versions,
    chunks,
    vectors: Number(vectors.numDeletedRows),
    fullTextEntries,
    files: Number(files.numDeletedRows),
  };
}
