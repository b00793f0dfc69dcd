import { z } from 'zod';

// What many queries have, apart from those in `query.ts`: most requests at a start need no others.

/** The last value of a key that is repeated. */
export const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value);

/** A key with a whole number, which is checked by the schema. */
export const integer = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => {
    const last = lastOf(value);
    return typeof last === 'string' && /^[+-]?\d+(\.\d*)?$/.test(last.trim()) ? Number(last) : last;
  }, schema);

export const paging = {
  offset: integer(z.number().int().min(0).default(0)).describe('Number of entries to skip.'),
  limit: integer(z.number().int().min(1).max(1000).default(100)).describe('Maximum number of entries.'),
};

/** docs/contract.md 1. */
export const pageQuery = z.object(paging);
