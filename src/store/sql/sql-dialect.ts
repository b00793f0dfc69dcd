import type { SQLInputValue } from 'node:sqlite';
import type { ColumnDataType, ColumnDefinitionBuilder, RawBuilder } from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { FilterSql } from './filters/filter-sql.ts';
import type { FullTextTables } from './full-text/full-text-tables.ts';
import type { Queries } from './vector-spaces/space-rows.ts';

/** An SQL condition as text and bound values, which can be sent to a thread. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

type DataType = ColumnDataType | RawBuilder<unknown>;

export type ColumnType = 'integer' | 'real' | 'text';

/** Column types for migrations. Truth values are integers, and times are texts. */
export interface ColumnTypes {
  /** An auto-incremented number, or a reference to one. */
  readonly key: DataType;
  /** Makes a column of this type the primary key. The database assigns its values and never reuses one. */
  asKey(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** 32 bits. */
  readonly integer: DataType;
  /** 64 bits. */
  readonly long: DataType;
  readonly real: DataType;
  /** Compared by bytes. */
  readonly text: DataType;
  /** A JSON object that queries look into. JSON that is only stored is a text. */
  readonly json: DataType;
  readonly bytes: DataType;
}

/**
 * The SQL that differs between the database engines. Everything else is kysely, or SQL that both understand: `is
 * distinct from`, `count(*) filter (where …)`, `on conflict`, `returning`. Booleans in results are 0 and 1.
 */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  readonly types: ColumnTypes;
  readonly filters: FilterSql;
  readonly fullText: FullTextTables;
  compile(condition: RawBuilder<boolean>): Condition;
  /** Prefix of a statement that a connection prepares once. Its text must be one of a few, and list its columns. */
  readonly prepared: RawBuilder<unknown>;
  /** A phrase query for the search operations, which matches any of these sequences of terms. */
  phrase(sequences: readonly (readonly string[])[]): string;
  /** Subqueries for `in`. The list is bound as one value, so it may exceed the parameter limit of a statement. */
  numbers(list: readonly number[]): RawBuilder<unknown>;
  texts(list: readonly string[]): RawBuilder<unknown>;
  /** A table with these columns. Any number of rows is bound as few values. */
  rows<Column extends string>(
    types: Readonly<Record<Column, ColumnType>>,
    list: readonly Readonly<Record<Column, string | number | null | undefined>>[],
  ): RawBuilder<unknown>;
  /** A new random UUID for each row. */
  readonly randomId: RawBuilder<string>;
  /** A join whose left side is read first; forces the order on a planner that would choose another. */
  readonly joinInOrder: RawBuilder<unknown>;
  /** Follows a table name and tells the planner to use this index of the table. */
  usingIndex(name: string): RawBuilder<unknown>;
  /** The values of a group as a JSON list. */
  listOf(column: RawBuilder<unknown>): RawBuilder<string>;
  /** Whether a field of a JSON object is false. */
  isFalse(json: RawBuilder<unknown>, field: string): RawBuilder<boolean>;
  /** The texts of a JSON list, one per line; NULL when it is empty. */
  lines(json: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** The additional property of our kysely dialects' adapters. */
export interface DialectOwner {
  readonly sqlDialect: SqlDialect;
}

/** The SQL dialect of this database. */
export function dialectOf(database: Queries): SqlDialect {
  const { adapter } = database.getExecutor();
  if ('sqlDialect' in adapter) return (adapter as typeof adapter & DialectOwner).sqlDialect;
  throw new ServiceError('internal', 'This database was opened without its SQL dialect.');
}
