import type { RawBuilder } from 'kysely';
import type { Filter, Scalar } from '../../../documents/filter.ts';
import type { PatternPiece } from '../../../documents/like-pattern.ts';

/** A JSON value as SQL expressions. */
export interface SqlValue {
  /** One of `text integer real true false null array object`; NULL when the value is absent. */
  readonly type: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
  /** The value as JSON. */
  readonly json: RawBuilder<unknown>;
}

/** What filters need from a database engine: access to JSON, and comparisons with the semantics of `matchesFilter`. */
export interface FilterSql {
  /** The member of a JSON object at a path. */
  member(json: RawBuilder<unknown>, path: readonly string[]): SqlValue;
  /** Whether a chunk has the member in its own metadata; few have any. */
  hasOwn(key: string): RawBuilder<boolean>;
  text(column: RawBuilder<unknown>): SqlValue;
  integer(column: RawBuilder<unknown>): SqlValue;
  /** The value converted to the operand's type, NULL when it cannot be converted. */
  readAs(value: SqlValue, operand: Scalar): RawBuilder<unknown>;
  /** An operand in a form that is comparable with the result of `readAs` for it. */
  bound(operand: Scalar): RawBuilder<unknown>;
  /** Operands of one type as a list for `in`, one bound value regardless of its length. */
  listed(operands: readonly Scalar[]): RawBuilder<unknown>;
  /** The elements of an array, none for any other value, under an alias to be used in `from`. */
  elements(value: SqlValue, alias: string): { readonly from: RawBuilder<unknown>; readonly element: SqlValue };
  /** The members of a JSON object under an alias to be used in `from`. */
  members(
    json: RawBuilder<unknown>,
    alias: string,
  ): { readonly from: RawBuilder<unknown>; readonly key: RawBuilder<unknown>; readonly member: SqlValue };
  /** Whether a text matches a pattern from `readLikePattern`. */
  matches(text: RawBuilder<unknown>, pieces: readonly PatternPiece[]): RawBuilder<boolean>;
  equalsText(value: SqlValue, operand: string): RawBuilder<boolean>;
  equalsNumber(value: SqlValue, operand: number): RawBuilder<boolean>;
  /**
   * A condition on the documents `d`, met by all that pass the filter and perhaps by more, which an index answers;
   * undefined if no index helps. Absent if the engine has none on metadata.
   */
  readonly indexed?: (filter: Filter) => RawBuilder<boolean> | undefined;
}
