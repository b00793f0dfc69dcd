import type { ExtractionTask } from '../../graph-records.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** The chunks of a document that an extraction reads, in order. */
export async function readExtractionChunks(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
): Promise<ExtractionTask['chunks']> {
  const rows = await database
    .selectFrom('chunks')
    .select(['id', 'text', 'heading_path'])
    .where('document_key', '=', document.key)
    .where('generation', '=', document.generation)
    .orderBy('ordinal')
    .execute();
  return rows.map(({ id, text, heading_path }) => ({
    chunkId: id,
    text,
    headingPath: JSON.parse(heading_path) as string[],
  }));
}
