import { type Selectable, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata } from '../../../documents/document.ts';
import { estimateTokens } from '../../../documents/estimate-tokens.ts';
import { type Replacement, replaceText } from '../../../documents/replace-text.ts';
import { ServiceError } from '../../../errors.ts';
import type { ChunkChange, DeletionReceipt } from '../../corpus.ts';
import type { Database } from '../database.ts';
import { addChunkFullText, removeChunkFullText } from '../full-text/full-text-rows.ts';
import { countDocumentGraph } from '../graph/count-rows.ts';
import type { IndexUpkeep } from '../index-sync/index-upkeep.ts';
import { addPendingRemoval } from '../index-sync/outbox.ts';
import { addPending } from '../index-sync/outbox-entries.ts';
import { toHeadingsJson, toOutline } from '../outline-rows.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { toChunk } from './chunk-rows.ts';
import { type DocumentRow, toDocuments } from './document-rows.ts';
import type { ChunkTable } from './document-tables.ts';
import { isSettled, update } from './ingestions.ts';
import { removeDocument } from './remove-documents.ts';
import { insertVectors } from './staged-chunks.ts';

type Row = Selectable<ChunkTable>;

/**
 * Runs in one transaction, so that neither search leg matches the new text and returns the old one. For the vector
 * index, new text makes a new chunk: its key changes, its id does not.
 */
export async function editChunk(
  sqlite: Database,
  upkeep: IndexUpkeep,
  id: string,
  change: ChunkChange,
): Promise<Chunk> {
  const { words } = change;
  const chunk = await sqlite.writer.transaction().execute(async (transaction) => {
    const { row, document } = await requireVisible(transaction, id);
    const metadata = JSON.stringify({ ...(JSON.parse(row.metadata) as Metadata), ...change.metadata });
    if (words === undefined || words.text === row.text) {
      await transaction.updateTable('chunks').set({ metadata }).where('key', '=', row.key).execute();
      await update(transaction, document.key, {});
    } else {
      refuseWhileIngested(document);
      await replaceChunk(transaction, { row, document, metadata, words });
    }
    return readChunk(transaction, row.id);
  });
  upkeep.wakeUp();
  return chunk;
}

export async function removeChunk(sqlite: Database, upkeep: IndexUpkeep, id: string): Promise<DeletionReceipt> {
  const receipt = await sqlite.writer.transaction().execute(async (transaction) => {
    const { row, document } = await requireVisible(transaction, id);
    refuseWhileIngested(document);
    if (document.chunk_count <= 1) return removeDocument(transaction, document.key);
    await addPendingRemoval(transaction, [row.key]);
    const fullTextEntries = await removeChunkFullText(transaction, row.key);
    const vectors = await transaction.deleteFrom('chunk_vectors').where('chunk_key', '=', row.key).executeTakeFirst();
    const graphRowsBefore = await countDocumentGraph(transaction, document.key);
    await transaction.deleteFrom('chunks').where('key', '=', row.key).execute();
    const graphRows = graphRowsBefore - (await countDocumentGraph(transaction, document.key));
    await update(transaction, document.key, {
      chunk_count: document.chunk_count - 1,
      extraction_status: 'pending',
    });
    return { documents: 0, chunks: 1, vectors: Number(vectors.numDeletedRows), fullTextEntries, files: 0, graphRows };
  });
  upkeep.wakeUp();
  return receipt;
}

/** Throws `conflict` while the document is being ingested: the ingestion may be about to reuse this chunk. */
function refuseWhileIngested(document: DocumentRow): void {
  if (isSettled(document)) return;
  throw new ServiceError(
    'conflict',
    `Document ${document.id} is being ingested again (${document.ingestion_status}); change its chunks afterwards.`,
  );
}

interface ReplacedChunk {
  readonly row: Row;
  readonly document: DocumentRow;
  readonly metadata: string;
  readonly words: NonNullable<ChunkChange['words']>;
}

async function replaceChunk(database: Queries, { row, document, metadata, words }: ReplacedChunk): Promise<void> {
  const { text, vector, embeddedIn } = words;
  const replacement = await moveText(database, { row, document, text });
  await addPendingRemoval(database, [row.key]);
  await removeChunkFullText(database, row.key);
  await database.deleteFrom('chunks').where('key', '=', row.key).execute();
  const { key: _, ...kept } = row;
  const { key } = await database
    .insertInto('chunks')
    // The embedding hash and the generated context belong to the old text.
    .values({
      ...kept,
      embedding_hash: null,
      context: null,
      text,
      metadata,
      end_offset: row.end_offset + (replacement?.grown ?? 0),
    })
    .returning('key')
    .executeTakeFirstOrThrow();
  const space = await insertVectors(database, [{ key, order: row.ordinal, vector }], embeddedIn);
  await addPending(database, 'upsert', space.key, [key]);
  await addChunkFullText(database, key);
  await update(database, document.key, {
    // The graph is extracted again, without what came from the old text.
    extraction_status: 'pending',
    ...(replacement !== undefined && {
      text_length: replacement.text.length,
      total_tokens: estimateTokens(replacement.text),
    }),
  });
}

/**
 * Replaces the text within the document's text and shifts what follows, so that offsets stay correct. Undefined,
 * without any change, when the chunk is not a contiguous part of that text.
 */
async function moveText(
  database: Queries,
  { row, document, text }: { readonly row: Row; readonly document: DocumentRow; readonly text: string },
): Promise<Replacement | undefined> {
  const whole = await database
    .selectFrom('document_texts')
    .select(['text', 'pages', 'headings'])
    .where('document_key', '=', document.key)
    .executeTakeFirst();
  const [start, end] = [row.start_offset, row.end_offset];
  if (whole === undefined || whole.text.slice(start, end) !== row.text) return undefined;
  const replacement = replaceText(whole.text, { start, end, text });
  const outline = toOutline(whole);
  const pages = outline.pages.map((page) => ({
    ...page,
    start: replacement.mapOffset(page.start),
    end: replacement.mapOffset(page.end),
  }));
  const headings = outline.headings?.map((heading) => ({ ...heading, start: replacement.mapOffset(heading.start) }));
  await database
    .updateTable('document_texts')
    .set({ text: replacement.text, pages: JSON.stringify(pages), headings: toHeadingsJson(headings) })
    .where('document_key', '=', document.key)
    .execute();
  const { grown, firstMoved, changedEnd } = replacement;
  for (const column of ['start_offset', 'end_offset'] as const) {
    await database
      .updateTable('chunks')
      .set((expressions) => ({
        [column]: expressions
          .case()
          .when(column, '>=', changedEnd)
          .then(expressions(column, '+', grown))
          .else(
            sql<number>`case when ${sql.ref(column)} < ${changedEnd + grown} then ${sql.ref(column)} else ${changedEnd + grown} end`,
          )
          .end(),
      }))
      .where('document_key', '=', document.key)
      .where('generation', '=', document.generation)
      .where('key', '!=', row.key)
      .where(column, '>=', firstMoved)
      .execute();
  }
  return replacement;
}

async function requireVisible(database: Queries, id: string) {
  const row = await database.selectFrom('chunks').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
  const document =
    row &&
    (await database
      .selectFrom('documents')
      .selectAll()
      .where('key', '=', row.document_key)
      .where('generation', '=', row.generation)
      .executeTakeFirst());
  if (row === undefined || document === undefined) throw new ServiceError('not_found', `There is no chunk ${id}.`);
  return { row, document };
}

async function readChunk(database: Queries, id: string): Promise<Chunk> {
  const { row, document } = await requireVisible(database, id);
  const [parent] = await toDocuments(database, [{ ...document, submitted: null }]);
  if (parent === undefined) throw new ServiceError('not_found', `There is no chunk ${id}.`);
  return toChunk(row, parent);
}
