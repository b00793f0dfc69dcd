import type { z } from 'zod';
import { misspelledName } from './nearest-name.ts';

type RawIssue = z.core.$ZodRawIssue;
type UnionIssue = z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>;

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['member', 'members'],
};

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'an address such as https://example.org',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
};

/**
 * Messages for people about a value that does not fit a zod schema, for the `error` option of `safeParse`: what is
 * allowed, and what was given. A message in the schema itself takes precedence.
 */
export function explainIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `it is missing; expected ${typeName(issue.expected)}`
        : `expected ${typeName(issue.expected)}, received ${received(issue.expected, issue.input)}`;
    case 'invalid_value':
      return `expected ${anyOf(issue.values.map((value) => JSON.stringify(value) ?? String(value)))}`;
    case 'too_small':
      return limit(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return limit(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formats[issue.format] && `expected ${formats[issue.format]}`;
    case 'unrecognized_keys':
      return unknownMembers(issue.keys, membersOf(issue.inst));
    case 'invalid_union':
      return unionMessage(issue);
    default:
      return undefined;
  }
}

/** The members of an object's schema; empty for other schemas. */
function membersOf(schema: object | undefined): string[] {
  const shape: unknown = schema !== undefined && 'shape' in schema ? schema.shape : undefined;
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
}

/** Names the unknown members, those that were probably meant, and all known ones. */
function unknownMembers(names: readonly string[], known: readonly string[]): string {
  const described = names.map((name) => {
    const meant = misspelledName(name, known);
    return meant === undefined ? `"${name}"` : `"${name}" (did you mean "${meant}"?)`;
  });
  const unknown = `${anyOf(described, 'and')} ${names.length === 1 ? 'is' : 'are'} not known here`;
  return known.length === 0 ? unknown : `${unknown}; known are ${known.join(', ')}`;
}

function limit(
  issue: RawIssue & { readonly origin: string; readonly exact?: boolean | undefined },
  bound: number | bigint,
  comparison: string,
): string {
  const amount = `${issue.exact === true ? 'exactly' : comparison} ${bound}`;
  const unit = units[issue.origin];
  if (unit !== undefined) return `expected ${amount} ${unit[Number(bound) === 1 ? 0 : 1]}`;
  return `expected ${/^(more|less)/.test(amount) ? 'a number' : 'a number of'} ${amount}${typeof issue.input === 'number' ? `, received ${issue.input}` : ''}`;
}

/** Explains the only alternative of the value's type, or names all alternatives. */
function unionMessage(issue: UnionIssue): string | undefined {
  if ('options' in issue && Array.isArray(issue.options) && issue.options.length > 0)
    return `expected ${anyOf(issue.options.map((option) => JSON.stringify(option)))}`;
  const alternatives = issue.errors ?? [];
  const ofItsType = alternatives.filter(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  const [only, another] = ofItsType;
  if (only !== undefined && another === undefined)
    return only.map(({ path, message }) => [path.map(String).join('.'), message].filter(Boolean).join(': ')).join('; ');
  const expected = alternatives.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [typeName(first.expected)] : [],
  );
  if (ofItsType.length > 0 || expected.length === 0) return undefined;
  return `expected ${anyOf([...new Set(expected)])}, received ${typeOf(issue.input)}`;
}

/** The type of the value, or the value itself where a number is expected and the type would not show what is wrong. */
function received(expected: string, value: unknown): string {
  if (expected !== 'number' && expected !== 'int') return typeOf(value);
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === 'number' ? String(value) : typeOf(value);
}

const typeName = (type: string): string => types[type] ?? type;

function typeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return typeof value === 'boolean' ? 'a boolean' : typeName(typeof value);
}

function anyOf(names: readonly string[], word = 'or'): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
