import { type RawBuilder, sql } from 'kysely';
import type { Json } from '../../../documents/document.ts';
import type { Filter, Scalar } from '../../../documents/filter.ts';
import { type FilterTarget, locateField } from '../../../documents/filter-field.ts';
import { readLikePattern } from '../../../documents/like-pattern.ts';
import { type Condition, withIdOperands } from '../../../documents/matches-filter.ts';
import { ServiceError } from '../../../errors.ts';
import { fieldToSql, jsonPath, member, type SqlValue } from './field-to-sql.ts';

const MAX_DEPTH = 50;
// SQLite's own limit on GLOB patterns is 50,000 bytes.
const MAX_PATTERN = 5_000;

/**
 * A filter as an SQL condition over the aliases `d` (documents) and, for chunks, `c`. Equivalent to `matchesFilter`,
 * except that it may be NULL instead of false. Field names and values are always bound, never part of the SQL text.
 */
export function filterToSql(filter: Filter, target: FilterTarget): RawBuilder<boolean> {
  return toSql(filter, target, 0);
}

function toSql(filter: Filter, target: FilterTarget, depth: number): RawBuilder<boolean> {
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
        filter.filters.map((each) => toSql(each, target, depth + 1)),
      );
    default:
      return conditionToSql(filter, target);
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

function conditionToSql(condition: Condition, target: FilterTarget): RawBuilder<boolean> {
  const location = locateField(condition.field, target);
  if (location.kind === 'collections') return collectionsToSql(withIdOperands(condition), location.single);
  const value = fieldToSql(location, target);
  if (location.kind === 'metadata') return valueToSql(condition, value);
  // No column holds an array, and the plain comparison can use an index.
  const asked = location.isIdentifier ? withIdOperands(condition) : condition;
  if (asked.kind === 'in') return isOneOf(value, asked.values);
  if (asked.kind === 'notIn') return sql<boolean>`(${isOneOf(value, asked.values)}) is not true`;
  return valueToSql(asked, value);
}

function valueToSql(condition: Condition, value: SqlValue): RawBuilder<boolean> {
  switch (condition.kind) {
    case 'isNull':
      return sql<boolean>`coalesce(${value.type}, 'null') = 'null'`;
    case 'isNotNull':
      return sql<boolean>`coalesce(${value.type}, 'null') <> 'null'`;
    case 'compare':
      return condition.op === 'ne'
        ? sql<boolean>`(${compared(value, 'eq', condition.value)}) is not true`
        : compared(value, condition.op, condition.value);
    case 'in':
      return isOrHoldsOneOf(value, condition.values);
    case 'notIn':
      return sql<boolean>`(${isOrHoldsOneOf(value, condition.values)}) is not true`;
    case 'like':
      return sql<boolean>`(${value.type} = 'text' and ${value.value} glob ${globPattern(condition.pattern, condition.caseSensitive)})`;
    case 'jsonContains':
      return sql<boolean>`(coalesce(${value.type}, 'null') <> 'null' and ${jsonContains(value, condition.value, true, 0)})`;
    default:
      return elementsToSql(condition, value);
  }
}

type ComparisonOperator = Exclude<Extract<Condition, { readonly kind: 'compare' }>['op'], 'ne'>;
const operators = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

function compared(value: SqlValue, op: ComparisonOperator, operand: Scalar): RawBuilder<boolean> {
  return sql<boolean>`${readAs(value, operand)} ${operators[op]} ${bound(operand)}`;
}

const bound = (value: Scalar): string | number => (typeof value === 'boolean' ? Number(value) : value);

// The value converted to the operand's type, NULL when it cannot be converted.
function readAs({ type, value, json }: SqlValue, operand: Scalar): RawBuilder<unknown> {
  switch (typeof operand) {
    case 'number':
      return sql`case ${type} when 'integer' then cast(${value} as real) when 'real' then ${value} when 'text' then
        case when json_valid(${value}) and json_type(${value}) in ('integer', 'real') then cast(${value} as real) end end`;
    case 'boolean':
      return sql`case ${type} when 'true' then 1 when 'false' then 0 when 'text' then
        case ${value} when 'true' then 1 when 'false' then 0 end end`;
    default:
      return sql`case ${type} when 'text' then ${value} when 'true' then 'true' when 'false' then 'false'
        when 'integer' then ${json} when 'real' then ${json} end`;
  }
}

function isOneOf(value: SqlValue, operands: readonly Scalar[]): RawBuilder<boolean> {
  const ofType = (type: string) => operands.filter((operand) => typeof operand === type);
  const lists = [ofType('string'), ofType('number'), ofType('boolean')].filter((list) => list.length > 0);
  return joined(
    'or',
    lists.map((list) => sql<boolean>`${readAs(value, list[0] ?? '')} in ${listed(list)}`),
  );
}

const isOrHoldsOneOf = (value: SqlValue, operands: readonly Scalar[]): RawBuilder<boolean> =>
  operands.length === 0
    ? always(false)
    : sql<boolean>`(${isOneOf(value, operands)} or ${elementsToSql({ kind: 'overlap', field: '', values: operands }, value)})`;

// One bound value, regardless of the length of the list.
const listed = (values: readonly Scalar[]): RawBuilder<unknown> =>
  sql`(select value from json_each(${JSON.stringify(values.map(bound))}))`;

type ElementCondition = Extract<Condition, { readonly kind: 'overlap' | 'contains' | 'exactly' | 'notContains' }>;

function elementsToSql(condition: ElementCondition, { type, json }: SqlValue): RawBuilder<boolean> {
  // `json_each` fails on invalid JSON; an array's text is always valid.
  const elements = sql`json_each(case when ${type} = 'array' then ${json} else '[]' end) as e`;
  const element: SqlValue = { type: sql`e.type`, value: sql`e.value`, json: sql`(e.json -> e.fullkey)` };
  const has = (operands: readonly Scalar[]) =>
    sql<boolean>`exists (select 1 from ${elements} where ${isOneOf(element, operands)})`;
  const isArray = sql<boolean>`${type} = 'array'`;
  switch (condition.kind) {
    case 'overlap':
      return joined('and', [isArray, has(condition.values)]);
    case 'contains':
      return joined('and', [isArray, ...condition.values.map((each) => has([each]))]);
    case 'exactly': {
      const stranger = sql<boolean>`exists (select 1 from ${elements} where (${isOneOf(element, condition.values)}) is not true)`;
      return joined('and', [isArray, ...condition.values.map((each) => has([each])), sql<boolean>`not ${stranger}`]);
    }
    case 'notContains':
      return joined('and', [isArray, sql<boolean>`not ${has([condition.value])}`]);
  }
}

function collectionsToSql(condition: Condition, single: boolean): RawBuilder<boolean> {
  const member = (test: RawBuilder<boolean>) =>
    sql<boolean>`exists (select 1 from document_collections as dc where dc.document_key = d.key and ${test})`;
  // Goes through a list of documents, so that SQLite starts from the index on collections and does not check every
  // document.
  const overlaps = (ids: readonly Scalar[]) =>
    sql<boolean>`d.key in (select dc.document_key from document_collections as dc where dc.collection_id in ${listed(ids)})`;
  const contains = (ids: readonly Scalar[]) =>
    joined(
      'and',
      ids.map((id) => overlaps([id])),
    );
  const exactly = (ids: readonly Scalar[]) =>
    joined('and', [contains(ids), sql<boolean>`not ${member(sql<boolean>`dc.collection_id not in ${listed(ids)}`)}`]);
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
    case 'notContains':
      return not(overlaps([condition.value]));
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

// SQLite's LIKE ignores case for ASCII only; GLOB never does, and its classes spell out the case forms.
function globPattern(pattern: string, caseSensitive: boolean): string {
  if (pattern.length > MAX_PATTERN) {
    throw new ServiceError('invalid_request', `A "like" pattern may have at most ${MAX_PATTERN} characters.`);
  }
  return readLikePattern(pattern, caseSensitive)
    .map((piece) => {
      if (piece === 'anything') return '*';
      if (piece === 'one') return '?';
      const [only = ''] = piece;
      return piece.length > 1 || '*?['.includes(only) ? `[${piece.join('')}]` : only;
    })
    .join('');
}

function jsonContains(value: SqlValue, wanted: Json, isTop: boolean, depth: number): RawBuilder<boolean> {
  if (depth > MAX_DEPTH) {
    throw new ServiceError('invalid_request', `"$json_contains" looks at most ${MAX_DEPTH} levels deep.`);
  }
  if (Array.isArray(wanted)) {
    const elements = (wanted as readonly Json[]).map((each) => hasElement(value, each, depth));
    return joined('and', [sql<boolean>`${value.type} = 'array'`, ...elements]);
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const object = sql`case when ${value.type} = 'object' then ${value.json} end`;
    const members = Object.entries(wanted).map(([key, each]) =>
      jsonContains(member(object, jsonPath([key])), each, false, depth + 1),
    );
    return joined('and', [sql<boolean>`${value.type} = 'object'`, ...members]);
  }
  const equal = sameScalar(value, wanted);
  return isTop ? sql<boolean>`(${equal} or (${value.type} = 'array' and ${hasElement(value, wanted, depth)}))` : equal;
}

function hasElement({ type, json }: SqlValue, wanted: Json, depth: number): RawBuilder<boolean> {
  const alias = sql.id(`e${depth}`);
  const element: SqlValue = {
    type: sql`${alias}.type`,
    value: sql`${alias}.value`,
    json: sql`(${alias}.json -> ${alias}.fullkey)`,
  };
  return sql<boolean>`exists (select 1 from json_each(case when ${type} = 'array' then ${json} else '[]' end) as ${alias}
    where ${jsonContains(element, wanted, false, depth + 1)})`;
}

function sameScalar({ type, value }: SqlValue, wanted: Scalar | null): RawBuilder<boolean> {
  switch (typeof wanted) {
    case 'string':
      return sql<boolean>`(${type} = 'text' and ${value} = ${wanted})`;
    case 'number':
      return sql<boolean>`(${type} in ('integer', 'real') and cast(${value} as real) = ${wanted})`;
    default:
      return sql<boolean>`${type} = ${String(wanted)}`;
  }
}
