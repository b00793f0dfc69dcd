import { ServiceError } from '../errors.ts';
import { isRecord } from '../shared/objects.ts';
import type { Json } from './document.ts';
import { allOf, everything, type Filter, type Scalar } from './filter.ts';
import { readTime, TIME_EXAMPLES } from './timestamp.ts';

/** Limits on one filter; a filter that exceeds them is rejected. */
const MAX_DEPTH = 16;
const MAX_CONDITIONS = 1_000;
const MAX_VALUES = 10_000;
/** Maximum number of names in a field path; metadata is never nested more deeply. */
const MAX_PATH = 64;

const nothing: Filter = { kind: 'none' };

type Operator = (field: string, operand: unknown) => Filter;

const compare =
  (op: 'gt' | 'gte' | 'lt' | 'lte', name: string): Operator =>
  (field, operand) => ({ kind: 'compare', field, op, value: scalar(field, name, operand) });

/** Meaning of each operator for an ordinary field (docs/contract.md 4.2). */
const operators: Readonly<Record<string, Operator>> = {
  $eq: (field, operand) => equal(field, operand),
  $ne: (field, operand) => unequal(field, '$ne', operand),
  // R2R's documentation says $neq, its code $ne.
  $neq: (field, operand) => unequal(field, '$neq', operand),
  $gt: compare('gt', '$gt'),
  $gte: compare('gte', '$gte'),
  $lt: compare('lt', '$lt'),
  $lte: compare('lte', '$lte'),
  $in: (field, operand) => among(field, listOf(field, '$in', operand)),
  $nin: (field, operand) => notAmong(field, listOf(field, '$nin', operand)),
  $like: (field, operand) => like(field, '$like', operand),
  $ilike: (field, operand) => like(field, '$ilike', operand),
  $overlap: (field, operand) => overlapping(field, scalars(field, '$overlap', oneOrMany(operand))),
  $contains: (field, operand) => containing(field, scalars(field, '$contains', oneOrMany(operand))),
  $json_contains: (field, operand) => ({ kind: 'jsonContains', field, value: operand as Json }),
};

/** `collection_ids` is a set, so membership operators mean sharing an element. */
const onCollectionIds: Readonly<Record<string, Operator>> = {
  ...operators,
  $eq: (field, operand) =>
    operand === null ? equal(field, null) : exactly(field, scalars(field, '$eq', oneOrMany(operand))),
  $in: (field, operand) => overlapping(field, scalars(field, '$in', listOf(field, '$in', operand))),
  $nin: (field, operand) => holdingNone(field, scalars(field, '$nin', listOf(field, '$nin', operand))),
};

/** The shorthand `collection_id`: one member of `collection_ids`. */
const onCollectionId: Readonly<Record<string, Operator>> = {
  $eq: (_, operand) => containing('collection_ids', [scalar('collection_id', '$eq', operand)]),
  $ne: (_, operand) => holdingNone('collection_ids', [scalar('collection_id', '$ne', operand)]),
  $neq: (_, operand) => holdingNone('collection_ids', [scalar('collection_id', '$neq', operand)]),
  $in: (field, operand) => overlapping('collection_ids', scalars(field, '$in', listOf(field, '$in', operand))),
  $nin: (field, operand) => holdingNone('collection_ids', scalars(field, '$nin', listOf(field, '$nin', operand))),
  $overlap: (field, operand) => overlapping('collection_ids', scalars(field, '$overlap', oneOrMany(operand))),
  $contains: (field, operand) => containing('collection_ids', scalars(field, '$contains', oneOrMany(operand))),
};

/** Times of records are UTC texts of one format; operands in other formats and zones are converted to it. */
const onTime: Readonly<Record<string, Operator>> = {
  ...operators,
  ...Object.fromEntries(
    ['$eq', '$ne', '$neq', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'].map((name): [string, Operator] => [
      name,
      (field, operand) =>
        operators[name]?.(
          field,
          Array.isArray(operand) ? operand.map((each) => time(field, name, each)) : time(field, name, operand),
        ) ?? nothing,
    ]),
  ),
};

const operatorsOf: ReadonlyMap<string, Readonly<Record<string, Operator>>> = new Map([
  ['collection_id', onCollectionId],
  ['collection_ids', onCollectionIds],
  ['created_at', onTime],
  ['updated_at', onTime],
]);

/**
 * Parses a filter of the API (docs/contract.md 4.2). Field names are resolved at evaluation, where an unknown one
 * matches nothing.
 */
export function readFilter(wire: unknown): Filter {
  const budget = { conditions: 0 };
  return objectFilter(wire, 1, budget);
}

function objectFilter(wire: unknown, depth: number, budget: Budget): Filter {
  if (!isRecord(wire))
    throw invalidFilter(`A filter is an object such as {"document_type": {"$eq": "pdf"}}, not ${show(wire)}.`);
  if (depth > MAX_DEPTH) throw invalidFilter(`A filter may nest $and and $or at most ${MAX_DEPTH} deep.`);
  return allOf(
    ...Object.entries(wire).map(([key, operand]) => {
      if (key === '$and' || key === '$or') spend(budget, 1);
      if (key === '$and') return allOf(...members(key, operand).map((each) => objectFilter(each, depth + 1, budget)));
      if (key === '$or') return anyOf(members(key, operand).map((each) => objectFilter(each, depth + 1, budget)));
      if (key.startsWith('$')) throw unknownOperator(key, ['$and', '$or'], 'where a field name belongs');
      return fieldFilter(key, operand, budget);
    }),
  );
}

interface Budget {
  conditions: number;
}

function spend(budget: Budget, conditions: number): void {
  budget.conditions += conditions;
  if (budget.conditions > MAX_CONDITIONS)
    throw invalidFilter(`A filter may have at most ${MAX_CONDITIONS} conditions.`);
}

/** The number of values in a JSON document, each of which costs a comparison; counting stops above `MAX_CONDITIONS`. */
function sizeOf(json: unknown): number {
  const left = [json];
  let size = 0;
  for (; left.length > 0 && size <= MAX_CONDITIONS; size++) {
    const each = left.pop();
    if (typeof each === 'object' && each !== null) for (const member of Object.values(each)) left.push(member);
  }
  return size;
}

function fieldFilter(field: string, wire: unknown, budget: Budget): Filter {
  if (field.trim() === '') throw invalidFilter('A filter has a condition without a field name.');
  if (field.split('.').length > MAX_PATH)
    throw invalidFilter(`A field name in a filter may have at most ${MAX_PATH} parts.`);
  const known = operatorsOf.get(field) ?? operators;
  if (!isRecord(wire)) {
    spend(budget, 1);
    return bareFilter(field, wire, known);
  }
  const conditions = Object.entries(wire);
  if (conditions.length === 0)
    throw invalidFilter(`The condition on "${field}" is empty; write {"$eq": value} or the bare value.`);
  return allOf(
    ...conditions.map(([name, operand]) => {
      spend(budget, name === '$json_contains' ? sizeOf(operand) : 1);
      const operator = Object.hasOwn(known, name) ? known[name] : undefined;
      if (operator === undefined) throw unknownOperator(name, Object.keys(known), `on "${field}"`);
      return operator(field, operand);
    }),
  );
}

/** A bare value means `$eq`; a bare list for a set of collections means any of them. */
function bareFilter(field: string, value: unknown, known: Readonly<Record<string, Operator>>): Filter {
  const isSet = known === onCollectionIds || known === onCollectionId;
  const name = Array.isArray(value) && isSet ? '$in' : '$eq';
  return known[name]?.(field, value) ?? nothing;
}

function equal(field: string, operand: unknown): Filter {
  if (operand === null) return { kind: 'isNull', field };
  if (Array.isArray(operand)) return exactly(field, scalars(field, '$eq', operand));
  return { kind: 'compare', field, op: 'eq', value: scalar(field, '$eq', operand) };
}

function unequal(field: string, name: string, operand: unknown): Filter {
  if (operand === null) return { kind: 'isNotNull', field };
  return { kind: 'compare', field, op: 'ne', value: scalar(field, name, operand) };
}

function among(field: string, operands: readonly unknown[]): Filter {
  const values = scalars(
    field,
    '$in',
    operands.filter((operand) => operand !== null),
  );
  const listed: Filter = values.length === 0 ? nothing : { kind: 'in', field, values };
  return operands.includes(null) ? anyOf([{ kind: 'isNull', field }, listed]) : listed;
}

function notAmong(field: string, operands: readonly unknown[]): Filter {
  const values = scalars(
    field,
    '$nin',
    operands.filter((operand) => operand !== null),
  );
  const listed: Filter = values.length === 0 ? everything : { kind: 'notIn', field, values };
  return operands.includes(null) ? allOf({ kind: 'isNotNull', field }, listed) : listed;
}

function like(field: string, name: '$like' | '$ilike', operand: unknown): Filter {
  if (typeof operand !== 'string')
    throw invalidFilter(`"${name}" on "${field}" takes a pattern string, not ${show(operand)}.`);
  return { kind: 'like', field, pattern: operand, caseSensitive: name === '$like' };
}

const overlapping = (field: string, values: readonly Scalar[]): Filter =>
  values.length === 0 ? nothing : { kind: 'overlap', field, values };

const containing = (field: string, values: readonly Scalar[]): Filter =>
  values.length === 0 ? everything : { kind: 'contains', field, values };

const exactly = (field: string, values: readonly Scalar[]): Filter => ({ kind: 'exactly', field, values });

const holdingNone = (field: string, values: readonly Scalar[]): Filter =>
  values.length === 0 ? everything : { kind: 'notIn', field, values };

function anyOf(filters: readonly Filter[]): Filter {
  const possible = filters.filter((filter) => filter.kind !== 'none');
  if (possible.some((filter) => filter.kind === 'all')) return everything;
  const [only] = possible;
  if (only === undefined) return nothing;
  return possible.length === 1 ? only : { kind: 'or', filters: possible };
}

function members(name: string, operand: unknown): readonly unknown[] {
  if (!Array.isArray(operand)) throw invalidFilter(`"${name}" takes a list of filters, not ${show(operand)}.`);
  return operand;
}

function listOf(field: string, name: string, operand: unknown): readonly unknown[] {
  if (!Array.isArray(operand)) throw invalidFilter(`"${name}" on "${field}" takes a list, not ${show(operand)}.`);
  return operand;
}

const oneOrMany = (operand: unknown): readonly unknown[] => (Array.isArray(operand) ? operand : [operand]);

function scalars(field: string, name: string, operands: readonly unknown[]): Scalar[] {
  if (operands.length > MAX_VALUES) throw invalidFilter(`"${name}" on "${field}" takes at most ${MAX_VALUES} values.`);
  return operands.map((operand) => scalar(field, name, operand));
}

function scalar(field: string, name: string, operand: unknown): Scalar {
  if (typeof operand === 'string' || typeof operand === 'number' || typeof operand === 'boolean') return operand;
  throw invalidFilter(`"${name}" on "${field}" compares with a string, number or boolean, not ${show(operand)}.`);
}

function time(field: string, name: string, operand: unknown): string | null {
  const read = operand === null ? null : typeof operand === 'string' ? readTime(operand) : undefined;
  if (read !== undefined) return read;
  throw invalidFilter(`"${name}" on "${field}" compares with ${TIME_EXAMPLES}, not ${show(operand)}.`);
}

function unknownOperator(name: string, known: readonly string[], where: string): ServiceError {
  return invalidFilter(`"${name}" is not a filter operator ${where}. Known: ${known.join(', ')}.`);
}

const invalidFilter = (message: string): ServiceError => new ServiceError('invalid_request', message);

const show = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);
