import { type RawBuilder, sql } from 'kysely';
import type { FilterSql, SqlValue } from '../../sql/filters/filter-sql.ts';

/** A value within a jsonb document. */
const ofJson = (json: RawBuilder<unknown>): SqlValue => ({
  type: sql`(case jsonb_typeof(${json}) when 'string' then 'text' when 'number' then 'real'
    when 'boolean' then ${json} #>> '{}' else jsonb_typeof(${json}) end)`,
  value: sql`((${json} #>> '{}') collate "C")`,
  json,
});

/** Filters over jsonb. `value` is the text form of a scalar of any type. */
export const postgresFilters: FilterSql = {
  // Step by step, because the operator for whole paths would treat a key like "0" as an array index.
  member: (json, path) => ofJson(path.reduce((inner, key) => sql`(${inner} -> ${key}::text)`, json)),
  hasOwn: (key) => sql<boolean>`(c.metadata <> '{}' and c.metadata ? ${key}::text)`,
  text: (column) => ({ type: sql`'text'`, value: column, json: sql`to_jsonb(${column})` }),
  integer: (column) => ({ type: sql`'integer'`, value: sql`(${column})::text`, json: sql`to_jsonb(${column})` }),

  readAs({ type, value }, operand) {
    switch (typeof operand) {
      case 'number':
        return sql`(case when ${type} in ('integer', 'real') then (${value})::float8
          when ${type} = 'text' and ${value} ~ ${JSON_NUMBER} then ${readNumber(value)} end)`;
      case 'boolean':
        return sql`(case when ${type} in ('true', 'text') and ${value} = 'true' then 1
          when ${type} in ('false', 'text') and ${value} = 'false' then 0 end)`;
      default:
        return sql`(case when ${type} in ('text', 'true', 'false', 'integer', 'real') then ${value} end)`;
    }
  },

  bound(operand) {
    switch (typeof operand) {
      case 'number':
        return sql`${operand}::float8`;
      case 'boolean':
        return sql`${Number(operand)}::integer`;
      default:
        return sql`${operand}::text`;
    }
  },

  listed(operands) {
    switch (typeof operands[0]) {
      case 'number':
        return sql`(select unnest(${operands}::float8[]))`;
      case 'boolean':
        return sql`(select unnest(${operands.map(Number)}::integer[]))`;
      default:
        return sql`(select unnest(${operands}::text[]))`;
    }
  },

  elements({ type, json }, name) {
    const alias = sql.id(name);
    const array = sql`case when ${type} = 'array' then ${json} else '[]'::jsonb end`;
    return { from: sql`jsonb_array_elements(${array}) as ${alias} (item)`, element: ofJson(sql`${alias}.item`) };
  },

  members(json, name) {
    const alias = sql.id(name);
    return {
      from: sql`jsonb_each(${json}) as ${alias} (name, item)`,
      key: sql`(${alias}.name collate "C")`,
      member: ofJson(sql`${alias}.item`),
    };
  },

  matches: (text, pieces) =>
    sql<boolean>`${text} ~ ${`^${pieces
      .map((piece) => (piece === 'anything' ? '.*' : piece === 'one' ? '.' : `[${piece.map(quoted).join('')}]`))
      .join('')}$`}::text`,

  equalsText: ({ type, value }, operand) => sql<boolean>`(${type} = 'text' and ${value} = ${operand}::text)`,
  equalsNumber: ({ type, value }, operand) =>
    sql<boolean>`(case when ${type} in ('integer', 'real') then (${value})::float8 = ${operand}::float8 else false end)`,
};

/** A JSON number. Longer numbers and larger exponents do not match, because casting them could fail. */
const JSON_NUMBER = sql.lit(
  '^[ \\t\\n\\r]*-?(0|[1-9][0-9]{0,250})(\\.[0-9]{1,250})?([eE][+-]?[0-9]{1,3})?[ \\t\\n\\r]*$',
);

// Outside the range of double precision a cast fails, whereas JavaScript yields infinity or zero.
const readNumber = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`(case
  when abs((${value})::numeric) > 1.7976931348623157e308 then sign((${value})::numeric)::float8 * 'infinity'::float8
  when abs((${value})::numeric) < 5e-324 then 0 else (${value})::float8 end)`;

const quoted = (character: string): string => (/[\\\]^[-]/.test(character) ? `\\${character}` : character);
