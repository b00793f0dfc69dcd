import { type Selectable, sql } from 'kysely';
import type { Chunk } from '../../documents/chunk.ts';
import type { Metadata, PageSpan } from '../../documents/document.ts';
import { estimateTokens } from '../../documents/estimate-tokens.ts';
import { type Replacement, replaceText } from '../../documents/replace-text.ts';
import { ServiceError } from '../../errors.ts';
import type { ChunkChange, DeletionReceipt } from '../corpus.ts';
import { toChunk } from './chunk-rows.ts';
import { type DocumentRow, toDocuments } from './document-rows.ts';
import { addChunkFullText, removeChunkFullText } from './full-text-rows.ts';
import { countDocumentGraph } from './graph/count-rows.ts';
import type { IndexUpkeep } from './index-upkeep.ts';
import { isSettled, update } from './ingestions.ts';
import type { Sqlite } from './open-sqlite.ts';
import { owe, oweRemoval } from './outbox.ts';
import { removeDocument } from './remove-documents.ts';
import type { ChunkTable } from './schema.ts';
import type { Queries } from './space-rows.ts';
import { insertVectors } from './staged-chunks.ts';

type Row = Selectable<ChunkTable>;

/**
 * In one transaction, so that no leg ever finds old words by new ones. Other words make it another chunk to the vector
 * index: its key changes, its identifier does not.
 */
export async function editChunk(sqlite: Sqlite, upkeep: IndexUpkeep, id: string, change: ChunkChange): Promise<Chunk> {
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
  upkeep.nudge();
  return chunk;
}

export async function removeChunk(sqlite: Sqlite, upkeep: IndexUpkeep, id: string): Promise<DeletionReceipt> {
  const receipt = await sqlite.writer.transaction().execute(async (transaction) => {
    const { row, document } = await requireVisible(transaction, id);
    refuseWhileIngested(document);
    if (document.chunk_count <= 1) return removeDocument(transaction, document.key);
    await oweRemoval(transaction, [row.key]);
    const fullTextEntries = await removeChunkFullText(transaction, row.key);
    const vectors = await transaction.deleteFrom('chunk_vectors').where('chunk_key', '=', row.key).executeTakeFirst();
    const said = await countDocumentGraph(transaction, document.key);
    await transaction.deleteFrom('chunks').where('key', '=', row.key).execute();
    const graphRows = said - (await countDocumentGraph(transaction, document.key));
    await update(transaction, document.key, {
      chunk_count: document.chunk_count - 1,
      extraction_status: 'pending',
    });
    return { documents: 0, chunks: 1, vectors: Number(vectors.numDeletedRows), fullTextEntries, files: 0, graphRows };
  });
  upkeep.nudge();
  return receipt;
}

/** An ingestion under way may go on with this very chunk, and would be a passage short without it. */
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
  await oweRemoval(database, [row.key]);
  await removeChunkFullText(database, row.key);
  await database.deleteFrom('chunks').where('key', '=', row.key).execute();
  const { key: _, ...kept } = row;
  const { key } = await database
    .insertInto('chunks')
    // What is embedded now is not what the hash is of, and what placed the old words was written of them.
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
  await owe(database, 'upsert', space.key, [key]);
  await addChunkFullText(database, key);
  await update(database, document.key, {
    // What was extracted from the old words is extracted anew.
    extraction_status: 'pending',
    ...(replacement !== undefined && {
      text_length: replacement.text.length,
      total_tokens: estimateTokens(replacement.text),
    }),
  });
}

/**
 * Puts the words into the document's text, so that offsets go on telling the truth, and moves what stands behind them.
 * Undefined, and nothing is done, when the chunk is not a stretch of that text.
 */
async function moveText(
  database: Queries,
  { row, document, text }: { readonly row: Row; readonly document: DocumentRow; readonly text: string },
): Promise<Replacement | undefined> {
  const whole = await database
    .selectFrom('document_texts')
    .select(['text', 'pages'])
    .where('document_key', '=', document.key)
    .executeTakeFirst();
  const [start, end] = [row.start_offset, row.end_offset];
  if (whole === undefined || whole.text.slice(start, end) !== row.text) return undefined;
  const replacement = replaceText(whole.text, { start, end, text });
  const pages = (JSON.parse(whole.pages) as PageSpan[]).map((page) => ({
    ...page,
    start: replacement.moved(page.start),
    end: replacement.moved(page.end),
  }));
  await database
    .updateTable('document_texts')
    .set({ text: replacement.text, pages: JSON.stringify(pages) })
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
          .else(sql<number>`min(${sql.ref(column)}, ${changedEnd + grown})`)
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
