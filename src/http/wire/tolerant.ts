import { z } from 'zod';

/** Also accepts members in camelCase, which some clients send; the snake_case spelling takes precedence. */
export const snakeCased = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(toSnakeCaseKeys, schema);

/** An optional member; null means absent, because clients in some languages send null for unset members. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number that may also be sent as text, as clients in loosely typed languages do. */
export const numeric = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value.trim()) : value),
    schema,
  );

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of the object without its undefined members. */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}

function toSnakeCaseKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [toSnakeCase(key), member, key] as const);
  // Members already in snake_case come last, so that they override others.
  entries.sort(([snakeA, , keyA], [snakeB, , keyB]) => Number(snakeA === keyA) - Number(snakeB === keyB));
  return Object.fromEntries(entries);
}

export const toSnakeCase = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
