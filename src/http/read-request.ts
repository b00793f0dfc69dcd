import express, { type Request, type RequestHandler } from 'express';
import type { z } from 'zod';
import { isUuid } from '../documents/ids.ts';
import { jsonProblem } from '../documents/json-problem.ts';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import type { Page } from '../store/corpus.ts';
import { checkShape, invalidField } from './check-shape.ts';
import { resumeSpan } from './observe-requests.ts';
import { pageQuery } from './wire/page-query.ts';
import { toSnakeCase } from './wire/tolerant.ts';

/** Reads the body as bytes regardless of content type and method, up to a limit; larger bodies answer 413. */
export function receiveBytes(limit: number): RequestHandler {
  const receive = express.raw({ type: () => true, limit });
  return (request, response, next) =>
    receive(request, response, (failure) => (failure ? next(failure) : resumeSpan(request, response, next)));
}

/** The body as text; empty when there was none. */
export function bodyText(request: Request): string {
  const bytes: unknown = request.body;
  if (!(bytes instanceof Uint8Array)) return '';
  return new TextDecoder('utf-8').decode(bytes);
}

/**
 * The validated JSON body. An empty body counts as `{}`, since clients send none with POSTs that need no members
 * (docs/contract.md 1.1). The Content-Type is ignored.
 */
export function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  const text = bodyText(request);
  return checkShape(schema, text.trim() === '' ? {} : parseJson(text, ['body']), 'body');
}

/**
 * Parses untrusted JSON. Throws `invalid_field` at `loc` if it is not JSON or has a member `__proto__`, and
 * `invalid_request` if it is nested too deeply to be validated.
 */
export function parseJson(text: string, loc: readonly (string | number)[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = errorMessage(cause);
    throw invalidField('json_invalid', loc, `This is not valid JSON: ${reason}`);
  }
  const problem = jsonProblem(value);
  if (problem?.kind === 'too_deep') throw new ServiceError('invalid_request', problem.message);
  if (problem !== undefined) throw invalidField('json_invalid', loc, problem.message);
  return value;
}

/** The validated query; unknown parameters are ignored, and `ids[]=a` and `ids[0]=a` mean `ids=a`. */
export function readQuery<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  return checkShape(schema, withPlainNames(request.query), 'query');
}

/** Some clients mark lists by brackets. Ignored like unknown parameters, a filter by ids would list everything. */
function withPlainNames(query: Request['query']): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown[]>();
  for (const [key, value] of Object.entries(query)) {
    const name = key.replace(/\[\d*\]$/, '');
    values.set(name, [...(values.get(name) ?? []), ...(Array.isArray(value) ? value : [value])]);
  }
  return Object.fromEntries(Array.from(values, ([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

/** `offset` and `limit` of lists (docs/contract.md 1). */
export const readPage = (request: Request): Page => readQuery(request, pageQuery);

/** A UUID path parameter, lower-cased. */
export function readId(request: Request, name: string): string {
  const value: unknown = request.params[name];
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw invalidField('uuid_parsing', ['path', toSnakeCase(name)], 'This must be a UUID.', value);
}
