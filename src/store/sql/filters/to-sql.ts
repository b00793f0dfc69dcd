import { type RawBuilder, sql } from 'kysely';
import type { Json } from '../../../documents/document.ts';
import type { Filter, Scalar } from '../../../documents/filter.ts';
import { type FilterTarget, locateField } from '../../../documents/filter-field.ts';
import { readLikePattern } from '../../../documents/like-pattern.ts';
import { type Condition, withIdOperands } from '../../../documents/matches-filter.ts';
import { ServiceError } from '../../../errors.ts';
import { fieldToSql } from './field-to-sql.ts';
import type { FilterSql, SqlValue } from './filter-sql.ts';

const MAX_DEPTH = 50;
// SQLite's own limit on GLOB patterns is 50,000 bytes.
const MAX_PATTERN = 5_000;

/**
 * A filter as an SQL condition over the aliases `d` (documents) and, for chunks, `c`. Equivalent to `matchesFilter`,
 * except that it may be NULL instead of false. Field names and values are always bound, never part of the SQL text.
 */
export function filterToSql(filter: Filter, target: FilterTarget, engine: FilterSql): RawBuilder<boolean> {
  return toSql(filter, { target, engine }, 0);
}

interface Context {
  readonly target: FilterTarget;
  readonly engine: FilterSql;
}

function toSql(filter: Filter, context: Context, depth: number): RawBuilder<boolean> {
  if (depth > MAX_DEPTH) {
    throw new ServiceError('invalid_request', `The filter is nested more than ${MAX_DEPTH} levels deep. Flatten it.`);
  }
  switch (filter.kind) {
    case 'all':
      return always(true);
    case 'none':
      return always(false);
    case 'and':
    case 'or':
      return joined(
        filter.kind,
        filter.filters.map((each) => toSql(each, context, depth + 1)),
      );
    default:
      return conditionToSql(filter, context);
  }
}

const always = (truth: boolean): RawBuilder<boolean> => (truth ? sql<boolean>`1 = 1` : sql<boolean>`1 = 0`);

// A balanced tree: SQLite limits the depth of expressions, and a chain is as deep as it is long.
function joined(kind: 'and' | 'or', parts: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  const [first] = parts;
  if (first === undefined) return always(kind === 'and');
  if (parts.length === 1) return first;
  const middle = parts.length >> 1;
  const left = joined(kind, parts.slice(0, middle));
  const right = joined(kind, parts.slice(middle));
  return kind === 'and' ? sql<boolean>`(${left} and ${right})` : sql<boolean>`(${left} or ${right})`;
}

function conditionToSql(condition: Condition, { target, engine }: Context): RawBuilder<boolean> {
  const location = locateField(condition.field, target);
  if (location.kind === 'collections') return collectionsToSql(engine, withIdOperands(condition), location.single);
  const value = fieldToSql(location, target, engine);
  if (location.kind === 'metadata') return valueToSql(engine, condition, value);
  // No column holds an array, and the plain comparison can use an index.
  const normalized = location.isIdentifier ? withIdOperands(condition) : condition;
  if (normalized.kind === 'in') return isOneOf(engine, value, normalized.values);
  if (normalized.kind === 'notIn') return sql<boolean>`(${isOneOf(engine, value, normalized.values)}) is not true`;
  return valueToSql(engine, normalized, value);
}

function valueToSql(engine: FilterSql, condition: Condition, value: SqlValue): RawBuilder<boolean> {
  switch (condition.kind) {
    case 'isNull':
      return sql<boolean>`coalesce(${value.type}, 'null') = 'null'`;
    case 'isNotNull':
      return sql<boolean>`coalesce(${value.type}, 'null') <> 'null'`;
    case 'compare':
      return condition.op === 'ne'
        ? sql<boolean>`(${compared(engine, value, 'eq', condition.value)}) is not true`
        : compared(engine, value, condition.op, condition.value);
    case 'in':
      return isOrHoldsOneOf(engine, value, condition.values);
    case 'notIn':
      return sql<boolean>`(${isOrHoldsOneOf(engine, value, condition.values)}) is not true`;
    case 'like':
      return sql<boolean>`(${value.type} = 'text' and ${engine.matches(value.value, readPattern(condition))})`;
    case 'jsonContains':
      return sql<boolean>`(coalesce(${value.type}, 'null') <> 'null' and ${jsonContains(engine, value, condition.value, { isTop: true, depth: 0 })})`;
    default:
      return elementsToSql(engine, condition, value);
  }
}

type ComparisonOperator = Exclude<Extract<Condition, { readonly kind: 'compare' }>['op'], 'ne'>;
const operators = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

function compared(engine: FilterSql, value: SqlValue, op: ComparisonOperator, operand: Scalar): RawBuilder<boolean> {
  return sql<boolean>`${engine.readAs(value, operand)} ${operators[op]} ${engine.bound(operand)}`;
}

function isOneOf(engine: FilterSql, value: SqlValue, operands: readonly Scalar[]): RawBuilder<boolean> {
  return joined(
    'or',
    byType(operands).map((list) => sql<boolean>`${engine.readAs(value, list[0] ?? '')} in ${engine.listed(list)}`),
  );
}

function byType(operands: readonly Scalar[]): readonly (readonly Scalar[])[] {
  const ofType = (type: string) => operands.filter((operand) => typeof operand === type);
  return [ofType('string'), ofType('number'), ofType('boolean')].filter((list) => list.length > 0);
}

const isOrHoldsOneOf = (engine: FilterSql, value: SqlValue, operands: readonly Scalar[]): RawBuilder<boolean> =>
  operands.length === 0
    ? always(false)
    : sql<boolean>`(${isOneOf(engine, value, operands)} or ${elementsToSql(engine, { kind: 'overlap', field: '', values: operands }, value)})`;

type ElementCondition = Extract<Condition, { readonly kind: 'overlap' | 'contains' | 'exactly' }>;

function elementsToSql(engine: FilterSql, condition: ElementCondition, value: SqlValue): RawBuilder<boolean> {
  const { from, element } = engine.elements(value, 'e');
  const has = (operands: readonly Scalar[]) =>
    sql<boolean>`exists (select 1 from ${from} where ${isOneOf(engine, element, operands)})`;
  // Counts distinct matches, so that the statement does not grow with each operand.
  const hasAll = (operands: readonly Scalar[]) =>
    byType(operands).map((list) => {
      const read = engine.readAs(element, list[0] ?? '');
      const count = sql.lit(new Set(list).size);
      return sql<boolean>`(select count(distinct ${read}) from ${from} where ${read} in ${engine.listed(list)}) = ${count}`;
    });
  const isArray = sql<boolean>`${value.type} = 'array'`;
  switch (condition.kind) {
    case 'overlap':
      return joined('and', [isArray, has(condition.values)]);
    case 'contains':
      return joined('and', [isArray, ...hasAll(condition.values)]);
    case 'exactly': {
      const otherElement = sql<boolean>`exists (select 1 from ${from} where (${isOneOf(engine, element, condition.values)}) is not true)`;
      return joined('and', [isArray, ...hasAll(condition.values), sql<boolean>`not ${otherElement}`]);
    }
  }
}

function collectionsToSql(engine: FilterSql, condition: Condition, single: boolean): RawBuilder<boolean> {
  const member = (test: RawBuilder<boolean>) =>
    sql<boolean>`exists (select 1 from document_collections as dc where dc.document_key = d.key and ${test})`;
  // Goes through a list of documents, so that SQLite starts from the index on collections and does not check every
  // document.
  const overlaps = (ids: readonly Scalar[]) =>
    sql<boolean>`d.key in (select dc.document_key from document_collections as dc where dc.collection_id in ${engine.listed(ids)})`;
  const contains = (ids: readonly Scalar[]) => {
    const { size } = new Set(ids);
    if (size < 2) return size === 0 ? always(true) : overlaps(ids);
    return sql<boolean>`d.key in (
      select dc.document_key from document_collections as dc where dc.collection_id in ${engine.listed(ids)}
      group by dc.document_key having count(*) = ${sql.lit(size)})`;
  };
  const exactly = (ids: readonly Scalar[]) =>
    joined('and', [
      contains(ids),
      sql<boolean>`not ${member(sql<boolean>`dc.collection_id not in ${engine.listed(ids)}`)}`,
    ]);
  const not = (test: RawBuilder<boolean>) => sql<boolean>`not (${test})`;
  switch (condition.kind) {
    case 'isNull':
      return single ? exactly([]) : always(false);
    case 'isNotNull':
      return single ? not(exactly([])) : always(true);
    case 'compare': {
      const isEqual = single ? contains([condition.value]) : exactly([condition.value]);
      return condition.op === 'eq' ? isEqual : condition.op === 'ne' ? not(isEqual) : always(false);
    }
    case 'in':
    case 'overlap':
      return overlaps(condition.values);
    case 'notIn':
      return not(overlaps(condition.values));
    case 'contains':
      return contains(condition.values);
    case 'exactly':
      return exactly(condition.values);
    case 'like':
      return always(false);
    case 'jsonContains':
      return collectionsContainJson(condition.value, contains);
  }
}

function collectionsContainJson(
  wanted: Json,
  contains: (ids: readonly Scalar[]) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  const ids = Array.isArray(wanted) ? (wanted as readonly Json[]) : [wanted];
  return ids.every((id) => typeof id === 'string') ? contains(ids) : always(false);
}

function readPattern({ pattern, caseSensitive }: Extract<Condition, { readonly kind: 'like' }>) {
  if (pattern.length > MAX_PATTERN) {
    throw new ServiceError('invalid_request', `A "like" pattern may have at most ${MAX_PATTERN} characters.`);
  }
  return readLikePattern(pattern, caseSensitive);
}

interface Place {
  /** Only at the top level does PostgreSQL's `@>` let an array contain a bare scalar. */
  readonly isTop: boolean;
  readonly depth: number;
  /** For a member of an object: the outermost object as JSON, and the path from it to the member. */
  readonly within?: { readonly object: RawBuilder<unknown>; readonly path: readonly string[] };
}

/**
 * Nested members are read by their path from the outermost object. Each expression repeats the expression of its object
 * twice, so nesting expressions would double the statement with each level.
 */
function jsonContains(
  engine: FilterSql,
  value: SqlValue,
  wanted: Json,
  { isTop, depth, within }: Place,
): RawBuilder<boolean> {
  if (depth > MAX_DEPTH) {
    throw new ServiceError('invalid_request', `"$json_contains" looks at most ${MAX_DEPTH} levels deep.`);
  }
  if (Array.isArray(wanted)) {
    const elements = (wanted as readonly Json[]).map((each) => hasElement(engine, value, each, depth));
    return joined('and', [sql<boolean>`${value.type} = 'array'`, ...elements]);
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const object = within?.object ?? sql`case when ${value.type} = 'object' then ${value.json} end`;
    const members = Object.entries(wanted).map(([key, each]) => {
      const path = [...(within?.path ?? []), key];
      const place = { isTop: false, depth: depth + 1, within: { object, path } };
      return jsonContains(engine, engine.member(object, path), each, place);
    });
    return joined('and', [sql<boolean>`${value.type} = 'object'`, ...members]);
  }
  const equal = sameScalar(engine, value, wanted);
  return isTop
    ? sql<boolean>`(${equal} or (${value.type} = 'array' and ${hasElement(engine, value, wanted, depth)}))`
    : equal;
}

function hasElement(engine: FilterSql, value: SqlValue, wanted: Json, depth: number): RawBuilder<boolean> {
  const { from, element } = engine.elements(value, `e${depth}`);
  return sql<boolean>`exists (select 1 from ${from} where ${jsonContains(engine, element, wanted, { isTop: false, depth: depth + 1 })})`;
}

function sameScalar(engine: FilterSql, value: SqlValue, wanted: Scalar | null): RawBuilder<boolean> {
  switch (typeof wanted) {
    case 'string':
      return engine.equalsText(value, wanted);
    case 'number':
      return engine.equalsNumber(value, wanted);
    default:
      return sql<boolean>`${value.type} = ${String(wanted)}`;
  }
}
