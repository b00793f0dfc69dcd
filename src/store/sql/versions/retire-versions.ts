import { sql } from 'kysely';
import type { RetirementReceipt } from '../../versions.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Number of pruned versions whose row is kept; the rows of older ones are deleted. */
const MAX_PRUNED_VERSIONS_KEPT = 100;

/** Prunes the content of a document's versions beyond the newest `keep`, and records what was removed. */
export async function retireVersions(database: Queries, documentKey: number, keep: number): Promise<void> {
  const tooMany = await database
    .selectFrom('document_versions')
    .select('key')
    .where('document_key', '=', documentKey)
    .where('retired_at', 'is', null)
    .orderBy('key', 'desc')
    // SQLite allows an offset only with a limit.
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(keep)
    .execute();
  for (const { key } of tooMany.reverse()) await retireVersion(database, documentKey, key);
  await sql`
    delete from document_versions where document_key = ${documentKey} and retired_at is not null and key not in (
      select key from document_versions where document_key = ${documentKey} and retired_at is not null
      order by key desc limit ${MAX_PRUNED_VERSIONS_KEPT}
    )`.execute(database);
}

async function retireVersion(database: Queries, documentKey: number, version: number): Promise<void> {
  await database.deleteFrom('version_chunks').where('version_key', '=', version).execute();
  await database.deleteFrom('version_texts').where('version_key', '=', version).execute();
  const files = await database.deleteFrom('version_files').where('version_key', '=', version).executeTakeFirst();
  await dialectOf(database).fullText.remove(database, 'version_terms', sql`${version}`);
  const receipt: RetirementReceipt = {
    ...(await dropUnsharedPastChunks(database, documentKey)),
    files: Number(files.numDeletedRows),
  };
  await database
    .updateTable('document_versions')
    .set({ retired_at: new Date().toISOString(), receipt: JSON.stringify(receipt) })
    .where('key', '=', version)
    .execute();
}

async function dropUnsharedPastChunks(database: Queries, documentKey: number) {
  const unshared = sql`
    select p.key from past_chunks p where p.document_key = ${documentKey}
      and not exists (select 1 from version_chunks v where v.chunk_key = p.key)`;
  const vectors = await sql`delete from past_chunk_vectors where chunk_key in (${unshared})`.execute(database);
  const chunks = await sql`delete from past_chunks where key in (${unshared})`.execute(database);
  const dropped = Number(chunks.numAffectedRows ?? 0);
  // Triggers delete the terms of the chunks and of the version itself.
  return { passages: dropped, vectors: Number(vectors.numAffectedRows ?? 0), fullTextEntries: dropped + 1 };
}

/** Prunes the versions of all documents, as when the number to keep was reduced. */
export async function retireAll(database: Queries, keep: number): Promise<void> {
  const documents = await database
    .selectFrom('document_versions')
    .select('document_key')
    .where('retired_at', 'is', null)
    .groupBy('document_key')
    .having(({ fn }) => fn.countAll<number>(), '>', keep)
    .execute();
  for (const { document_key } of documents) await retireVersions(database, document_key, keep);
}
