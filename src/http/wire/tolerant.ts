import { z } from 'zod';

/** An object whose members may also be spelled in camelCase, as some clients do; the snake_case spelling wins. */
export const snakeCased = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(toSnakeCaseKeys, schema);

/** Optional, and null means the same as absent: clients of other languages send their unset members so. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number that may also be written as text, as clients of loosely typed languages send it. */
export const numeric = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value.trim()) : value),
    schema,
  );

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same object without its undefined members. */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}

function toSnakeCaseKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [toSnakeCase(key), member, key] as const);
  // Those already in snake_case last, so that they win.
  entries.sort(([snakeA, , keyA], [snakeB, , keyB]) => Number(snakeA === keyA) - Number(snakeB === keyB));
  return Object.fromEntries(entries);
}

export const toSnakeCase = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
