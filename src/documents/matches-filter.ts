import type { Json, Metadata } from './document.ts';
import type { Filter, Scalar } from './filter.ts';
import { type FilterTarget, locateField, type RecordField } from './filter-field.ts';
import { isUuid } from './ids.ts';
import { matchesLike, readLikePattern } from './like-pattern.ts';

/** The fields of a chunk or document that filters use. */
export interface FilterRecord {
  readonly target: FilterTarget;
  readonly fields: { readonly [field in RecordField]?: string | number | null };
  readonly collectionIds: readonly string[];
  /** The document's metadata. */
  readonly metadata: Metadata;
  /** The chunk's own metadata; empty for documents. */
  readonly ownMetadata: Metadata;
}

/**
 * Whether the record satisfies the filter. Reference implementation of filters (docs/contract.md 4.2), against which
 * the stores' SQL is tested.
 *
 * The operand's type decides how a value is compared: a number with numbers and with strings that are a JSON number, a
 * boolean with booleans and "true"/"false", a text with strings and with the JSON text of numbers and booleans, in code
 * point order. Objects and arrays equal nothing.
 */
export function matchesFilter(filter: Filter, record: FilterRecord): boolean {
  switch (filter.kind) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'and':
      return filter.filters.every((each) => matchesFilter(each, record));
    case 'or':
      return filter.filters.some((each) => matchesFilter(each, record));
    default:
      return matchesCondition(filter, record);
  }
}

/** A filter on one field. */
export type Condition = Extract<Filter, { readonly field: string }>;

function matchesCondition(condition: Condition, record: FilterRecord): boolean {
  const location = locateField(condition.field, record.target);
  if (location.kind === 'collections') return matchesCollections(condition, record.collectionIds, location.single);
  if (location.kind === 'record') {
    const value = record.fields[location.field] ?? null;
    return matchesValue(location.isIdentifier ? withIdOperands(condition) : condition, value);
  }
  return matchesValue(condition, metadataValue(record, location) ?? null);
}

function metadataValue(
  record: FilterRecord,
  location: { readonly path: readonly string[]; readonly inherited?: RecordField; readonly fallback?: RecordField },
): Json | undefined {
  const [key = ''] = location.path;
  if (Object.hasOwn(record.ownMetadata, key)) return valueAt(record.ownMetadata, location.path);
  if (location.inherited) return record.fields[location.inherited];
  const found = valueAt(record.metadata, location.path);
  return found === undefined && location.fallback ? record.fields[location.fallback] : found;
}

function valueAt(metadata: Metadata, path: readonly string[]): Json | undefined {
  let value: Json | undefined = metadata;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function matchesValue(condition: Condition, value: Json): boolean {
  switch (condition.kind) {
    case 'isNull':
      return value === null;
    case 'isNotNull':
      return value !== null;
    case 'compare':
      return condition.op === 'ne'
        ? !compares(value, 'eq', condition.value)
        : compares(value, condition.op, condition.value);
    case 'in':
      return condition.values.some((each) => isOrHolds(value, each));
    case 'notIn':
      return !condition.values.some((each) => isOrHolds(value, each));
    case 'like':
      return (
        typeof value === 'string' && matchesLike(readLikePattern(condition.pattern, condition.caseSensitive), value)
      );
    case 'jsonContains':
      return value !== null && jsonContains(value, condition.value, true);
    default:
      return isArray(value) && matchesElements(condition, value);
  }
}

const isOrHolds = (value: Json, wanted: Scalar): boolean =>
  compares(value, 'eq', wanted) || (isArray(value) && value.some((element) => compares(element, 'eq', wanted)));

type ElementCondition = Extract<Condition, { readonly kind: 'overlap' | 'contains' | 'exactly' }>;

function matchesElements(condition: ElementCondition, elements: readonly Json[]): boolean {
  const has = (wanted: Scalar) => elements.some((element) => compares(element, 'eq', wanted));
  switch (condition.kind) {
    case 'overlap':
      return condition.values.some(has);
    case 'contains':
      return condition.values.every(has);
    case 'exactly': {
      const { values } = condition;
      return values.every(has) && elements.every((element) => values.some((each) => compares(element, 'eq', each)));
    }
  }
}

// The collections are an array that is always present; the contract defines equality and membership for it.
function matchesCollections(requested: Condition, ids: readonly string[], single: boolean): boolean {
  const condition = withIdOperands(requested);
  switch (condition.kind) {
    case 'isNull':
      return single && ids.length === 0;
    case 'isNotNull':
      return !single || ids.length > 0;
    case 'compare': {
      const isEqual = single
        ? matchesElements({ kind: 'contains', field: '', values: [condition.value] }, ids)
        : matchesElements({ kind: 'exactly', field: '', values: [condition.value] }, ids);
      return condition.op === 'eq' ? isEqual : condition.op === 'ne' && !isEqual;
    }
    case 'in':
      return matchesElements({ kind: 'overlap', field: '', values: condition.values }, ids);
    case 'notIn':
      return !matchesElements({ kind: 'overlap', field: '', values: condition.values }, ids);
    case 'like':
      return false;
    case 'jsonContains':
      return jsonContains(ids, condition.value, true);
    default:
      return matchesElements(condition, ids);
  }
}

/** Normalises operands for identifier fields: text, and UUIDs in lower case, as they are stored. */
export function withIdOperands(condition: Condition): Condition {
  const lower = (value: Scalar): string => (isUuid(String(value)) ? String(value).toLowerCase() : String(value));
  switch (condition.kind) {
    case 'compare':
      return { ...condition, value: lower(condition.value) };
    case 'in':
    case 'notIn':
    case 'overlap':
    case 'contains':
    case 'exactly':
      return { ...condition, values: condition.values.map(lower) };
    default:
      return condition;
  }
}

type ComparisonOperator = Exclude<Extract<Condition, { readonly kind: 'compare' }>['op'], 'ne'>;

function compares(value: Json, op: ComparisonOperator, operand: Scalar): boolean {
  const order = orderOf(value, operand);
  if (order === undefined || Number.isNaN(order)) return false;
  switch (op) {
    case 'eq':
      return order === 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
  }
}

// Below 0 when the value sorts before the operand; undefined when it cannot be converted to the operand's type.
function orderOf(value: Json, operand: Scalar): number | undefined {
  switch (typeof operand) {
    case 'number': {
      const number = asNumber(value);
      return number === undefined ? undefined : Math.sign(number === operand ? 0 : number - operand);
    }
    case 'boolean': {
      const truth = value === true || value === 'true' ? 1 : value === false || value === 'false' ? 0 : undefined;
      return truth === undefined ? undefined : truth - Number(operand);
    }
    default: {
      const text = typeof value === 'string' ? value : isScalar(value) ? JSON.stringify(value) : undefined;
      return text === undefined ? undefined : Buffer.compare(Buffer.from(text), Buffer.from(operand));
    }
  }
}

const JSON_NUMBER = /^[ \t\n\r]*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?[ \t\n\r]*$/;
const asNumber = (value: Json): number | undefined =>
  typeof value === 'number' ? value : typeof value === 'string' && JSON_NUMBER.test(value) ? Number(value) : undefined;

// PostgreSQL's `@>`: at the top level, an array also contains a bare scalar that equals one of its elements.
function jsonContains(value: Json, wanted: Json, isTop: boolean): boolean {
  if (isArray(value)) {
    if (isArray(wanted)) return wanted.every((each) => value.some((element) => jsonContains(element, each, false)));
    return isTop && !isObject(wanted) && value.some((element) => element === wanted);
  }
  if (isObject(value)) {
    if (!isObject(wanted)) return false;
    return Object.entries(wanted).every(([key, each]) => {
      const member = Object.hasOwn(value, key) ? value[key] : undefined;
      return member !== undefined && jsonContains(member, each, false);
    });
  }
  return value === wanted;
}

const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json | undefined): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: Json): value is Scalar => value !== null && typeof value !== 'object';
