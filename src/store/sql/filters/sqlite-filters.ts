import { type RawBuilder, sql } from 'kysely';
import type { Scalar } from '../../../documents/filter.ts';
import type { FilterSql, SqlValue } from './filter-sql.ts';
import { indexedMetadata } from './indexed-metadata.ts';

/** SQLite's path to a nested key. Keys are quoted as JSON strings, which SQLite reads back exactly. */
const jsonPath = (keys: readonly string[]): string => `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`;

/** A row of `json_each`. */
function eachOf(name: string): SqlValue {
  const alias = sql.id(name);
  return { type: sql`${alias}.type`, value: sql`${alias}.value`, json: sql`(${alias}.json -> ${alias}.fullkey)` };
}

const toNumber = (value: Scalar): string | number => (typeof value === 'boolean' ? Number(value) : value);

/** Filters over SQLite's JSON functions. */
export const sqliteFilters: FilterSql = {
  member(json, keys) {
    const path = jsonPath(keys);
    return {
      type: sql`json_type(${json}, ${path})`,
      value: sql`json_extract(${json}, ${path})`,
      json: sql`(${json} -> ${path})`,
    };
  },

  // The plain comparison avoids parsing the JSON of all chunks without metadata of their own.
  hasOwn: (key) => sql<boolean>`(c.metadata <> '{}' and json_type(c.metadata, ${jsonPath([key])}) is not null)`,

  text: (column) => ({ type: sql`'text'`, value: column, json: sql`json_quote(${column})` }),
  integer: (column) => ({ type: sql`'integer'`, value: column, json: sql`cast(${column} as text)` }),

  readAs({ type, value, json }, operand) {
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
  },

  bound: (operand) => sql`${toNumber(operand)}`,
  listed(operands) {
    // A number from 2^53 on is written as an integer that differs from the number that is compared with it.
    const value = typeof operands[0] === 'number' ? sql`cast(value as real)` : sql`value`;
    return sql`(select ${value} from json_each(${JSON.stringify(operands.map(toNumber))}))`;
  },

  elements({ type, json }, name) {
    // `json_each` fails on invalid JSON; an array's text is always valid.
    const array = sql`case when ${type} = 'array' then ${json} else '[]' end`;
    return { from: sql`json_each(${array}) as ${sql.id(name)}`, element: eachOf(name) };
  },

  members: (json, name) => ({
    from: sql`json_each(${json}) as ${sql.id(name)}`,
    key: sql`${sql.id(name)}.key`,
    // Arrays and objects are in `value` as JSON already.
    member: { ...eachOf(name), json: sql`${sql.id(name)}.value` },
  }),

  // LIKE ignores case for ASCII only; GLOB never does, and its classes spell out the case forms.
  matches: (text, pieces): RawBuilder<boolean> =>
    sql<boolean>`${text} glob ${pieces
      .map((piece) => {
        if (piece === 'anything') return '*';
        if (piece === 'one') return '?';
        const [only = ''] = piece;
        return piece.length > 1 || '*?['.includes(only) ? `[${piece.join('')}]` : only;
      })
      .join('')}`,

  equalsText: ({ type, value }: SqlValue, operand) => sql<boolean>`(${type} = 'text' and ${value} = ${operand})`,
  equalsNumber: ({ type, value }: SqlValue, operand) =>
    sql<boolean>`(${type} in ('integer', 'real') and cast(${value} as real) = ${operand})`,

  indexed: indexedMetadata,
};
