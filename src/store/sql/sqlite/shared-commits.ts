import type { DatabaseSync } from 'node:sqlite';
import type { Transact } from '../documents/ingestion-transactions.ts';
import type { SqliteMessage, SqliteTask } from './sqlite-messages.ts';

type TransactTask = SqliteTask & { readonly kind: 'transact' };

/** A request to run a transaction. */
export interface TransactRequest {
  readonly id: number;
  readonly task: TransactTask;
}

/** What a transaction has returned or thrown. */
export type Outcome =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

/** Together they take some 50 ms, by which the first of them is delayed at most. */
const MAX_SIZE = 48;

/** Whether the next message is a transaction, which others may join. */
export const isTransaction = (message: SqliteMessage | undefined): boolean =>
  message !== undefined && 'task' in message && message.task.kind === 'transact';

/** Removes the transactions from the head of the queue that are to share a commit; none if the first stands alone. */
export function takeSharing(queue: SqliteMessage[]): TransactRequest[] {
  const sharing: TransactRequest[] = [];
  let size = 0;
  for (const message of queue) {
    if ('open' in message || message.task.kind !== 'transact') break;
    size += message.task.size;
    if (size > MAX_SIZE) break;
    sharing.push({ id: message.id, task: message.task });
  }
  if (sharing.length < 2) return [];
  queue.splice(0, sharing.length);
  return sharing;
}

/**
 * Runs transactions with one commit, so that they wait for the disk once. One that fails is undone alone, unless the
 * database has undone everything, as it does when the disk is full; then, and when the commit fails, all have failed.
 */
export async function performTogether(
  database: DatabaseSync,
  requests: readonly TransactRequest[],
  transact: Transact,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  try {
    database.exec('begin immediate');
    for (const { id, task } of requests) {
      try {
        outcomes.push({ id, value: await transact(task.name as never, task.args as never) });
      } catch (error) {
        if (!database.isTransaction) throw error;
        outcomes.push({ id, error });
      }
    }
    database.exec('commit');
    return outcomes;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    return requests.map(({ id }) => ({ id, error }));
  }
}

const NOTHING = { rows: [], changes: 0, lastInsertRowid: 0n };

/** Executes the statements of one transaction inside another that has begun. */
export const asSavepoint =
  (database: DatabaseSync, perform: (task: SqliteTask) => unknown) =>
  (task: SqliteTask): unknown => {
    if (task.kind !== 'query') return perform(task);
    const { sql, begin } = task;
    if (sql === 'commit') return perform({ ...task, sql: 'release member' });
    if (sql !== 'rollback') return perform(begin === undefined ? task : { ...task, begin: 'savepoint member' });
    if (!database.isTransaction) return NOTHING;
    perform({ ...task, sql: 'rollback to member' });
    return perform({ ...task, sql: 'release member' });
  };
