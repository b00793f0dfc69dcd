import { type DocumentSort, usualDirection } from '../documents/document-order.ts';
import { ServiceError } from '../errors.ts';
import { byteCount } from '../shared/byte-count.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { receiptLines } from './document-versions.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { documentIdOf, placeOf } from './find-document.ts';
import type { ChunkRecord, DeletionRecord, DocumentRecord } from './from-wire.ts';
import { formatLocation, paragraph, table } from './layout.ts';
import { noteEmptyCorpus } from './note-empty-corpus.ts';
import { count, counted } from './progress-line.ts';
import { chunkJson } from './search.ts';
import { withoutEmbedding } from './with-client.ts';

const CHUNKS_PER_PAGE = 500;

const SORTS = {
  title: 'title',
  size: 'size_in_bytes',
  date: 'created_at',
  state: 'ingestion_status',
} as const satisfies Readonly<Record<string, DocumentSort>>;

interface ListOptions {
  readonly limit: number;
  readonly offset: number;
  readonly sort: keyof typeof SORTS;
  readonly reverse?: boolean;
  readonly json?: boolean;
}

/** `citewell documents list` */
export function listDocuments(options: ListOptions, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const { offset, limit, sort, reverse } = options;
    const by = SORTS[sort];
    const usual = usualDirection(by);
    const direction = reverse === true ? (usual === 'asc' ? 'desc' : 'asc') : usual;
    const { documents, total } = await client.documents({ offset, limit, order: { by, direction } });
    if (options.json) {
      output.print(JSON.stringify({ total, documents }));
      return exitCodes.ok;
    }
    for (const line of table(documentRows(documents))) output.print(line);
    if (total > documents.length) output.note(`${count(documents.length)} of ${counted(total, 'document')}.`);
    if (total === 0) await noteEmptyCorpus(client, output);
    return exitCodes.ok;
  });
}

/** The rows of a list of documents. Those whose title occurs more than once have their path or address. */
export function documentRows(documents: readonly DocumentRecord[]): string[][] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { title } of documents) (seen.has(title) ? repeated : seen).add(title);
  return documents.map((document) => [
    document.id,
    document.document_type,
    byteCount(document.size_in_bytes),
    document.ingestion_status,
    document.title,
    ...(repeated.has(document.title) && placeOf(document) !== document.title ? [placeOf(document)] : []),
  ]);
}

/** `citewell documents show` */
export function showDocument(
  reference: string,
  options: { readonly chunks?: boolean; readonly asOf?: string; readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const id = await documentIdOf(reference, client);
    const document = await client.document(id, options.asOf);
    const chunks = options.chunks ? await allChunks(client, id, options.asOf) : undefined;
    if (options.json) {
      output.print(JSON.stringify({ ...document, ...(chunks && { chunks: chunks.map(chunkJson) }) }));
      return exitCodes.ok;
    }
    const members = Object.entries(document).filter(([, value]) => value !== null && value !== undefined);
    const lines = members.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
    for (const line of table(lines)) output.print(line);
    chunks?.forEach((chunk, index) => {
      const where = formatLocation(chunk);
      output.print();
      output.print(output.style('bold', `#${index}${where === '' ? '' : ` (${where})`}`));
      output.print(paragraph(chunk.text, { width: output.width, indent: '  ' }));
    });
    return exitCodes.ok;
  });
}

async function allChunks(client: Client, id: string, asOf: string | undefined): Promise<ChunkRecord[]> {
  const chunks: ChunkRecord[] = [];
  for (;;) {
    const page = await client.chunks(id, { offset: chunks.length, limit: CHUNKS_PER_PAGE }, asOf);
    chunks.push(...page);
    if (page.length < CHUNKS_PER_PAGE) return chunks;
  }
}

/** A misspelt title such as a year must not delete a document whose identifier happens to start with it. */
const MIN_PREFIX_TO_DELETE = 8;
/** Documents deleted at the same time, which share the checks that nothing is left of them. */
const DELETED_TOGETHER = 50;

/** `citewell documents delete`: all that exist are deleted; a missing one is a failure. */
export function deleteDocuments(
  references: readonly string[],
  options: { readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const missing: string[] = [];
    // All references are resolved before the first deletion, so that a misspelt name deletes nothing.
    const ids: string[] = [];
    for (const reference of references) ids.push(await documentIdOf(reference, client, MIN_PREFIX_TO_DELETE));
    const distinct = [...new Set(ids)];
    for (let from = 0; from < distinct.length; from += DELETED_TOGETHER) {
      const batch = distinct.slice(from, from + DELETED_TOGETHER);
      const outcomes = await Promise.allSettled(batch.map((id) => deleteIfPresent(id, client)));
      // What was deleted is reported, even if another deletion failed.
      for (const [place, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected') continue;
        const id = batch[place] ?? '';
        const receipt = outcome.value;
        const deleted = receipt !== undefined;
        if (!deleted) missing.push(id);
        if (options.json) output.print(JSON.stringify({ id, deleted, ...(deleted && { receipt }) }));
        else if (deleted) for (const line of [`Deleted ${id}.`, ...receiptLines(receipt)]) output.print(line);
      }
      const failed = outcomes.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
    if (missing.length > 0) {
      throw new ServiceError(
        'not_found',
        `There is no document ${missing.join(', ')}. List them: citewell documents list`,
      );
    }
    return exitCodes.ok;
  });
}

async function deleteIfPresent(id: string, client: Client): Promise<DeletionRecord | undefined> {
  try {
    return await client.deleteDocument(id);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}
