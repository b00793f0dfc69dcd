import type { Request } from 'express';
import { z } from 'zod';
import { isUuid } from '../documents/ids.ts';
import { moment } from '../documents/moment.ts';
import type { Page } from '../store/corpus.ts';
import { checkShape, invalidField } from './check-shape.ts';

const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value);

const integer = (schema: z.ZodNumber) =>
  z.preprocess((value) => {
    const last = lastOf(value);
    return typeof last === 'string' && /^[+-]?\d+$/.test(last.trim()) ? Number(last) : last;
  }, schema);

/** `offset` and `limit` of lists (r2r-v3.md 1). */
const paging = z.object({
  offset: integer(z.number().int().min(0)).default(0),
  limit: integer(z.number().int().min(1).max(1000)).default(100),
});

export const readPage = (request: Request): Page => checkShape(paging, request.query, 'query');

/** A key given any number of times, `ids=a&ids=b`, each a UUID, in lower case. */
export function readIds(request: Request, key: string): string[] {
  const given: unknown = request.query[key];
  const values = given === undefined ? [] : Array.isArray(given) ? given : [given];
  return values.map((value, index) => {
    if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
    throw invalidField('uuid_parsing', ['query', key, index], 'This must be a UUID.', value);
  });
}

const WORDS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['', false],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/** A yes-or-no key; absent means no. */
export function readFlag(request: Request, key: string): boolean {
  const given = lastOf(request.query[key]);
  if (given === undefined) return false;
  const flag = WORDS.get(typeof given === 'string' ? given.toLowerCase() : given);
  if (flag === undefined) throw invalidField('bool_parsing', ['query', key], 'This must be true or false.', given);
  return flag;
}

/** A non-negative integer key. */
export function readInteger(request: Request, key: string): number | undefined {
  return checkShape(z.object({ [key]: integer(z.number().int().min(0)).optional() }), request.query, 'query')[key];
}

/** A time, in UTC as the records write it. */
export function readMoment(request: Request, key: string): string | undefined {
  return checkShape(z.object({ [key]: z.preprocess(lastOf, moment.optional()) }), request.query, 'query')[key];
}

/** A UUID in the path, in lower case. */
export function readId(request: Request, name: string): string {
  const value: unknown = request.params[name];
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw invalidField('uuid_parsing', ['path', name], 'This must be a UUID.', value);
}
