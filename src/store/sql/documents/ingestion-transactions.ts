import type { Kysely } from 'kysely';
import type { IngestionStatus } from '../../../documents/document.ts';
import type { IngestionFailure, NewChunk } from '../../corpus.ts';
import type { Attempt } from '../../taken-over.ts';
import type { VectorSpaceName } from '../../vector-index.ts';
import { saveSourceItems } from '../save-source-items.ts';
import type { Tables } from '../schema.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { keepsNone } from '../versions/kept-chunks.ts';
import { beginIngestion } from './begin-ingestion.ts';
import { requireIngested, requireRow, update } from './ingestions.ts';
import { publishStaged, publishWithChunks } from './publish-document.ts';
import { dropStaged, insertStaged } from './staged-chunks.ts';

interface DocumentAttempt {
  readonly id: string;
  readonly attempt: Attempt | undefined;
}

/**
 * The transactions of an ingestion, and of the source whose item it ingests. Arguments and results are plain data,
 * which can be sent to a thread.
 */
const transactions = {
  begin: beginIngestion,
  setStatus,
  keepNone,
  stage,
  fail,
  publish: publishStaged,
  publishWithChunks,
  saveSourceItems,
} as const;

/**
 * Whether a transaction must be on disk at its end. The others record progress, or a submission that is reported only
 * when it is published. A power failure may undo them, which repeats work; the next transaction that waits for the disk
 * also writes what they have changed.
 */
export function waitsForDisk(name: string, args: object): boolean {
  if (name === 'begin') return !('isAwaited' in args && args.isAwaited === true);
  return name !== 'setStatus' && name !== 'keepNone' && name !== 'saveSourceItems';
}

/** Roughly how much a transaction writes, in passages of a document. */
export function sizeOf(name: string, args: object): number {
  if (name === 'setStatus' || name === 'keepNone') return 1;
  if (name === 'begin' && 'bytes' in args && args.bytes instanceof Uint8Array) return args.bytes.length / PASSAGE_BYTES;
  if (name === 'publishWithChunks' && 'chunks' in args && Array.isArray(args.chunks)) return args.chunks.length;
  return Number.POSITIVE_INFINITY;
}

/** Storing so much of a file takes as long as storing and indexing a passage. */
const PASSAGE_BYTES = 100_000;

type Transactions = typeof transactions;

/** Runs one of the transactions above. */
export type Transact = <Name extends keyof Transactions>(
  name: Name,
  args: Parameters<Transactions[Name]>[1],
) => ReturnType<Transactions[Name]>;

/** Runs the transactions statement by statement over this connection. */
export function transactOn(writer: Kysely<Tables>): Transact {
  return ((name: keyof Transactions, args: never) =>
    writer.transaction().execute<unknown>((transaction) => transactions[name](transaction, args))) as Transact;
}

async function setStatus(
  database: Queries,
  { id, status, attempt }: DocumentAttempt & { readonly status: IngestionStatus },
): Promise<void> {
  const row = await (attempt === undefined ? requireRow(database, id) : requireIngested(database, id, attempt));
  // Chunks are staged again after parsing, so those that an earlier attempt of this process staged must not remain.
  if (status === 'parsing') await dropStaged(database, row);
  await update(database, row.key, { ingestion_status: status, failure: null });
}

interface ChunksToStage extends DocumentAttempt {
  readonly chunks: readonly NewChunk[];
  readonly embeddedIn: VectorSpaceName | undefined;
  readonly status: IngestionStatus | undefined;
}

async function stage(database: Queries, { id, chunks, embeddedIn, attempt, status }: ChunksToStage): Promise<void> {
  const row = await requireIngested(database, id, attempt);
  if (chunks.length > 0) await insertStaged(database, row, chunks, embeddedIn);
  if (status !== undefined) await update(database, row.key, { ingestion_status: status, failure: null });
}

interface KeptCheck extends DocumentAttempt {
  readonly title: string;
  readonly status: IngestionStatus | undefined;
}

/** Whether no visible chunk can be kept. The status is set only in this case. */
async function keepNone(database: Queries, { id, title, attempt, status }: KeptCheck): Promise<boolean> {
  const row = await requireIngested(database, id, attempt);
  if (!keepsNone(row, title)) return false;
  if (status !== undefined) await update(database, row.key, { ingestion_status: status, failure: null });
  return true;
}

async function fail(
  database: Queries,
  { id, failure: { reason, remedy }, attempt }: DocumentAttempt & { readonly failure: IngestionFailure },
): Promise<void> {
  const row = await requireRow(database, id, attempt);
  await dropStaged(database, row);
  await update(database, row.key, { ingestion_status: 'failed', failure: reason, failure_remedy: remedy });
}
