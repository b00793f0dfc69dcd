import type { Request } from 'express';
import type { z } from 'zod';
import { isUuid } from '../documents/ids.ts';
import type { Page } from '../store/corpus.ts';
import { checkShape, invalidField } from './check-shape.ts';
import { pageQuery } from './wire/query.ts';

/** What the query says, checked; parameters the schema does not name are ignored. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  return checkShape(schema, request.query, 'query');
}

/** `offset` and `limit` of lists (r2r-v3.md 1). */
export const readPage = (request: Request): Page => readQuery(request, pageQuery);

/** A UUID in the path, in lower case. */
export function readId(request: Request, name: string): string {
  const value: unknown = request.params[name];
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw invalidField('uuid_parsing', ['path', name], 'This must be a UUID.', value);
}
