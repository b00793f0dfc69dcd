import type { z } from 'zod';
import { type FieldIssue, ServiceError } from '../errors.ts';
import { explainIssue } from '../shared/explain-issue.ts';

type RequestPart = 'body' | 'query' | 'path';

/** Parses a value with a schema. Throws `invalid_field` with one issue per invalid member (docs/contract.md 1.2). */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: RequestPart,
): z.output<Schema> {
  const checked = schema.safeParse(value, { reportInput: true, error: explainIssue });
  if (checked.success) return checked.data;
  throw invalidFields(checked.error.issues.map((issue) => toFieldIssue(issue, part)));
}

/** An `invalid_field` error for a single member. */
export function invalidField(type: string, loc: readonly (string | number)[], msg: string, input?: unknown) {
  return invalidFields([{ type, loc, msg, ...(input === undefined ? {} : { input }) }]);
}

function invalidFields(issues: readonly FieldIssue[]): ServiceError {
  const message = issues.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc.join('.')}: ${msg}`).join('; ');
  return new ServiceError('invalid_field', message, { issues });
}

function toFieldIssue(issue: z.core.$ZodIssue, part: RequestPart): FieldIssue {
  const loc = [part, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return { type: 'missing', loc, msg: 'Field required' };
  return {
    type: nameOf(issue, part),
    loc,
    msg: issue.message,
    // An object may contain credentials, also in other members than the invalid one.
    ...(isSingleValue(issue.input) && { input: issue.input }),
  };
}

const isSingleValue = (input: unknown): boolean => input !== undefined && typeof input !== 'object';

/** R2R's clients expect pydantic's error types, so the matching one is used if there is one. */
function nameOf(issue: z.core.$ZodIssue, part: RequestPart): string {
  switch (issue.code) {
    case 'invalid_type':
      // Query values are text, so a wrong type is reported as a parsing error.
      return `${pydanticType(issue.expected)}_${part === 'query' && issue.expected === 'boolean' ? 'parsing' : 'type'}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int' ? 'greater_than_equal' : 'too_short';
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? 'less_than_equal' : 'too_long';
    case 'invalid_format':
      return issue.format === 'uuid' || issue.format === 'guid' ? 'uuid_parsing' : 'string_pattern_mismatch';
    case 'invalid_value':
      return 'enum';
    case 'unrecognized_keys':
      return 'extra_forbidden';
    default:
      return 'value_error';
  }
}

function pydanticType(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    object: 'dict',
    record: 'dict',
    array: 'list',
    boolean: 'bool',
    number: 'float',
  };
  return names[expected] ?? expected;
}
