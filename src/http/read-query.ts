import type { Request } from 'express';
import type { z } from 'zod';
import { isUuid } from '../documents/ids.ts';
import type { Page } from '../store/corpus.ts';
import { checkShape, invalidField } from './check-shape.ts';
import { pageQuery } from './wire/query.ts';

/** The validated query; unknown parameters are ignored. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  return checkShape(schema, request.query, 'query');
}

/** `offset` and `limit` of lists (docs/contract.md 1). */
export const readPage = (request: Request): Page => readQuery(request, pageQuery);

/** A UUID path parameter, lower-cased. */
export function readId(request: Request, name: string): string {
  const value: unknown = request.params[name];
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw invalidField('uuid_parsing', ['path', name], 'This must be a UUID.', value);
}
