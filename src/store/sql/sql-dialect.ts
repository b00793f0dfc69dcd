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
  /** A number that counts up, or refers to such a column. */
  readonly key: DataType;
  /** Makes a column of this type the primary key, filled by the database and never used twice. */
  asKey(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** 32 bits. */
  readonly integer: DataType;
  /** 64 bits. */
  readonly long: DataType;
  readonly real: DataType;
  /** Compared by bytes. */
  readonly text: DataType;
  /** An object that is searched in. What is only kept is a text. */
  readonly json: DataType;
  readonly bytes: DataType;
}

/**
 * What the database engines write differently. Everything else is kysely, or SQL that both understand: `is distinct
 * from`, `count(*) filter (where …)`, `on conflict`, `returning`; booleans in results are 0 and 1.
 */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  readonly types: ColumnTypes;
  readonly filters: FilterSql;
  readonly fullText: FullTextTables;
  compile(condition: RawBuilder<boolean>): Condition;
  /** Begins a statement that a connection prepares once. Its text must be one of few, and name its columns. */
  readonly prepared: RawBuilder<unknown>;
  /** A phrase for the search operations; any of these sequences of terms is one. */
  phrase(sequences: readonly (readonly string[])[]): string;
  /** Lists as subqueries for `in`, bound as one value: they may be longer than a statement's parameters. */
  numbers(list: readonly number[]): RawBuilder<unknown>;
  texts(list: readonly string[]): RawBuilder<unknown>;
  /** A table with these columns, however many rows, bound as few values. */
  rows<Column extends string>(
    types: Readonly<Record<Column, ColumnType>>,
    list: readonly Readonly<Record<Column, string | number | null | undefined>>[],
  ): RawBuilder<unknown>;
  /** A new random UUID for each row. */
  readonly randomId: RawBuilder<string>;
  /** A join whose left side is read first, where the planner has to be told. */
  readonly joinInOrder: RawBuilder<unknown>;
  /** Tells the planner to use an index of the table named before. */
  usingIndex(name: string): RawBuilder<unknown>;
  /** The values of a group as a JSON list. */
  listOf(column: RawBuilder<unknown>): RawBuilder<string>;
  /** Whether a field of a JSON object is false. */
  isFalse(json: RawBuilder<unknown>, field: string): RawBuilder<boolean>;
  /** The texts of a JSON list, one per line; NULL when it is empty. */
  lines(json: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** What the adapter of a kysely dialect has in addition. */
export interface DialectOwner {
  readonly sqlDialect: SqlDialect;
}

/** How statements for this database are written. */
export function dialectOf(database: Queries): SqlDialect {
  const { adapter } = database.getExecutor();
  if ('sqlDialect' in adapter) return (adapter as typeof adapter & DialectOwner).sqlDialect;
  throw new ServiceError('internal', 'This database was opened without its SQL dialect.');
}
