import express, { type Request, type RequestHandler } from 'express';
import type { z } from 'zod';
import { jsonProblem } from '../documents/json-problem.ts';
import { checkShape, invalidField } from './check-shape.ts';

/** Takes the body's bytes, whatever their type and method, up to a limit; larger ones are refused with 413. */
export function receiveBytes(limit: number): RequestHandler {
  return express.raw({ type: () => true, limit });
}

/** The body as text; empty when there was none. */
export function bodyText(request: Request): string {
  const bytes: unknown = request.body;
  if (!(bytes instanceof Uint8Array)) return '';
  return new TextDecoder('utf-8').decode(bytes);
}

/**
 * The JSON body, checked. An empty body counts as `{}`: clients send none with POSTs that need no members
 * (r2r-v3.md 1.1). The Content-Type is not consulted.
 */
export function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): z.output<Schema> {
  const text = bodyText(request);
  return checkShape(schema, text.trim() === '' ? {} : parseJson(text, ['body']), 'body');
}

/** JSON from outside: `invalid_field` at `loc` when it is none, nests without measure or has a member `__proto__`. */
export function parseJson(text: string, loc: readonly (string | number)[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidField('json_invalid', loc, `This is not valid JSON: ${reason}`);
  }
  const problem = jsonProblem(value);
  if (problem !== undefined) throw invalidField('json_invalid', loc, problem);
  return value;
}
