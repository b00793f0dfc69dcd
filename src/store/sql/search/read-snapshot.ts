import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type PassageLengths, readPassageLengths, type TermTable, termTables } from '../full-text/passage-lengths.ts';
import type { KeySet } from './key-set.ts';

/** What a connection remembers of the data as it is now; forgotten as soon as any connection changes something. */
export interface Snapshot {
  /** Of the index `chunk_terms`, which holds the visible chunks and no others. */
  chunkLengths(): PassageLengths;
  documentLengths(): PassageLengths;
  /** The same of the indexes of earlier versions. */
  lengthsOf(table: TermTable): PassageLengths;
  /** What could be seen at the last few times asked for. */
  readonly moments: Map<string, Moment>;
  /** The last few filters, by their SQL and values. */
  readonly filters: Map<string, ResolvedFilter>;
}

/** The visible chunks a filter lets through, and their vectors once they were needed. */
export interface ResolvedFilter {
  readonly keys: KeySet;
  /** True when some may be of earlier versions only. */
  readonly isPast?: boolean;
  vectors?: { readonly spaceKey: number; readonly found: readonly number[]; readonly matrix: Float32Array };
}

/** The passages, and the documents, that could be seen at a time, as far as they were asked for. */
export interface Moment {
  passages?: PassageLengths;
  documents?: PassageLengths;
}

/** A connection while an operation uses it: everything read is of one moment. */
export interface Reading {
  readonly snapshot: Snapshot;
  /** Rows as arrays; the statement is kept for the next time. */
  rows(sql: string, ...parameters: readonly SQLInputValue[]): IterableIterator<SQLInputValue[]>;
  row(sql: string, ...parameters: readonly SQLInputValue[]): SQLInputValue[] | undefined;
}

interface Memory {
  version: string;
  snapshot: Snapshot;
  readonly statements: Map<string, StatementSync>;
}

// Lives and dies with the connection; a thread has one.
const memories = new WeakMap<DatabaseSync, Memory>();
const STATEMENTS_KEPT = 64;

/** Runs an operation over one consistent view of the data. */
export function readAtOnce<Result>(database: DatabaseSync, operation: (reading: Reading) => Result): Result {
  const isOuter = !database.isTransaction;
  if (isOuter) database.exec('begin');
  try {
    return operation(currentReading(database));
  } finally {
    if (isOuter) database.exec('commit');
  }
}

function currentReading(database: DatabaseSync): Reading {
  const memory = memories.get(database) ?? createMemory(database);
  const first = (sql: string) => prepared(database, memory, sql).get() as unknown as SQLInputValue[];
  // The view is taken by the first read; only then does the version speak of it.
  first('select 1 from settings limit 1');
  const version = `${first('pragma data_version')[0]} ${first('select total_changes()')[0]}`;
  if (version !== memory.version) {
    memory.version = version;
    memory.snapshot = createSnapshot(database);
  }
  return {
    snapshot: memory.snapshot,
    rows: (sql, ...parameters) =>
      prepared(database, memory, sql).iterate(...parameters) as unknown as IterableIterator<SQLInputValue[]>,
    row: (sql, ...parameters) =>
      prepared(database, memory, sql).get(...parameters) as unknown as SQLInputValue[] | undefined,
  };
}

function createMemory(database: DatabaseSync): Memory {
  // FTS5's own view of its postings; temporary, so that a connection that only reads may have it.
  database.exec("create virtual table temp.graph_name_terms_counts using fts5vocab('main', 'graph_name_terms', 'row')");
  for (const table of termTables) {
    database.exec(`create virtual table temp.${table}_counts using fts5vocab('main', '${table}', 'row')`);
    database.exec(`create virtual table temp.${table}_postings using fts5vocab('main', '${table}', 'instance')`);
  }
  const memory: Memory = { version: '', snapshot: createSnapshot(database), statements: new Map() };
  memories.set(database, memory);
  return memory;
}

function createSnapshot(database: DatabaseSync): Snapshot {
  const read = new Map<TermTable, PassageLengths>();
  const lengthsOf = (table: TermTable): PassageLengths => {
    const lengths = read.get(table) ?? readPassageLengths(database, table);
    read.set(table, lengths);
    return lengths;
  };
  return {
    chunkLengths: () => lengthsOf('chunk_terms'),
    documentLengths: () => lengthsOf('document_terms'),
    lengthsOf,
    moments: new Map(),
    filters: new Map(),
  };
}

function prepared(database: DatabaseSync, { statements }: Memory, sql: string): StatementSync {
  const known = statements.get(sql);
  const statement = known ?? database.prepare(sql);
  if (known) statements.delete(sql);
  else statement.setReturnArrays(true);
  statements.set(sql, statement);
  const [oldest] = statements.keys();
  if (statements.size > STATEMENTS_KEPT && oldest !== undefined) statements.delete(oldest);
  return statement;
}
