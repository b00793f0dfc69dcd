import { type RawBuilder, sql } from 'kysely';
import type { Filter, Scalar } from '../../../documents/filter.ts';
import { locateField } from '../../../documents/filter-field.ts';
import { MAX_INDEXED_TEXT } from '../migrations/0028-metadata-values.ts';

/** Values of one member of the metadata. Bounds are inclusive and of one type, since the index may hold more. */
interface Range {
  readonly key: string;
  readonly from?: Scalar;
  readonly to?: Scalar;
}

/**
 * Conditions of one conjunction that are looked up; more alternatives than this are not. SQLite limits the depth of
 * expressions, and a few conditions select well enough. A list of values in one condition counts once.
 */
const MAX_CONDITIONS = 16;

/**
 * A condition on the documents `d` that every document which passes the filter meets, and which SQLite answers from
 * `metadata_values`. Undefined if the filter has no condition on top-level members of the metadata that selects
 * documents by their values. More documents may meet it: the index holds beginnings of texts, and members of lists.
 */
export function indexedMetadata(filter: Filter): RawBuilder<boolean> | undefined {
  switch (filter.kind) {
    case 'and': {
      const others = filter.filters.filter((each) => rangeOf(each) === undefined).map(indexedMetadata);
      const known = [...rangesOf(filter.filters).map(inRange), ...others.filter((each) => each !== undefined)];
      return joined('and', known.slice(0, MAX_CONDITIONS));
    }
    case 'or': {
      if (filter.filters.length > MAX_CONDITIONS) return undefined;
      const alternatives = filter.filters.map(indexedMetadata);
      const known = alternatives.filter((each) => each !== undefined);
      return known.length === alternatives.length ? joined('or', known) : undefined;
    }
    case 'in':
    case 'overlap': {
      const key = indexedKey(filter.field);
      return key === undefined || filter.values.length === 0 ? undefined : isOneOf(key, filter.values);
    }
    case 'contains':
    case 'exactly': {
      const key = indexedKey(filter.field);
      const [first] = filter.values;
      return key === undefined || first === undefined ? undefined : isOneOf(key, [first]);
    }
    default: {
      const range = rangeOf(filter);
      return range && inRange(range);
    }
  }
}

function joined(
  kind: 'and' | 'or',
  [first, ...others]: readonly RawBuilder<boolean>[],
): RawBuilder<boolean> | undefined {
  const operator = kind === 'and' ? sql`and` : sql`or`;
  return first && others.reduce((left, right) => sql<boolean>`(${left} ${operator} ${right})`, first);
}

/** The top-level member of the metadata that alone decides; a column may take the place of others. */
function indexedKey(field: string): string | undefined {
  const location = locateField(field, 'document');
  if (location.kind !== 'metadata' || location.inherited !== undefined || location.fallback !== undefined)
    return undefined;
  return location.path.length === 1 ? location.path[0] : undefined;
}

function rangeOf(filter: Filter): Range | undefined {
  if (filter.kind !== 'compare' || filter.op === 'ne') return undefined;
  const key = indexedKey(filter.field);
  if (key === undefined) return undefined;
  const { op, value } = filter;
  if (op === 'eq') return { key, from: value, to: value };
  // Of the two booleans, a comparison selects one or both.
  if (typeof value === 'boolean') return { key, from: 'false', to: 'true' };
  return op === 'gt' || op === 'gte' ? { key, from: value } : { key, to: value };
}

// Bounds of the same member are combined, so that the index is read between them.
function rangesOf(filters: readonly Filter[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const range of filters.map(rangeOf)) {
    if (range === undefined) continue;
    const place = ranges.findIndex((known) => completes(known, range) || completes(range, known));
    if (place < 0) ranges.push(range);
    else ranges[place] = { ...ranges[place], ...range };
  }
  return ranges;
}

const completes = (lower: Range, upper: Range): boolean =>
  lower.key === upper.key &&
  lower.to === undefined &&
  upper.from === undefined &&
  typeof lower.from === typeof upper.to;

function inRange({ key, from, to }: Range): RawBuilder<boolean> {
  if (from !== undefined && from === to) return isOneOf(key, [from]);
  const lower = from === undefined ? sql`` : sql`and value >= ${stored(from)}`;
  // SQLite orders all numbers before all texts.
  const upper =
    to === undefined ? (typeof from === 'number' ? sql`and value < ''` : sql``) : sql`and value <= ${stored(to)}`;
  const within = sql`${documentsWith(key)} ${lower} ${upper}`;
  if (typeof (from ?? to) === 'number' || from === undefined) return sql<boolean>`d.key in (${within})`;
  // Numbers are compared with a text as texts; few members have both.
  return sql<boolean>`d.key in (${within} union all ${documentsWith(key)} and value < '')`;
}

function isOneOf(key: string, values: readonly Scalar[]): RawBuilder<boolean> {
  const forms = JSON.stringify([...new Set(values.flatMap(storedForms))]);
  const each = sql`select case type when 'text' then value else cast(value as real) end from json_each(${forms})`;
  return sql<boolean>`d.key in (${documentsWith(key)} and value in (${each}))`;
}

const documentsWith = (key: string): RawBuilder<unknown> =>
  sql`select document_key from metadata_values where field = (select key from metadata_fields where name = ${key})`;

/** How the index holds a value. */
function stored(value: Scalar): string | number {
  if (typeof value === 'number') return value;
  // A character takes up to two places in a string.
  return Array.from(String(value).slice(0, 2 * MAX_INDEXED_TEXT))
    .slice(0, MAX_INDEXED_TEXT)
    .join('');
}

/** All forms of values that equal this one. A text also equals the number that it is. */
function storedForms(value: Scalar): readonly (string | number)[] {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? [stored(value), number] : [stored(value)];
}
