import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import type { Random } from '../seeded-random.ts';
import { oddFilter } from './odd-filter.ts';
import { invalidString, models, oddValue, queries, timestamps } from './odd-values.ts';
import { PASSWORD } from './owner.ts';
import type { Kind } from './record-ids.ts';

export interface SchemaParts {
  readonly random: Random;
  /** Targets of references, by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Returns the identifier of an existing record, of this kind if given. */
  readonly id: (kind?: Kind) => string;
}

const MAX_DEPTH = 8;
/** Probability of an optional field. */
const PRESENT = 0.35;

/** A value that mostly matches a schema of the OpenAPI document. */
export function fromSchema(schema: JsonSchema, parts: SchemaParts, name = '', depth = 0): unknown {
  const { random, schemas } = parts;
  const hinted = depth > MAX_DEPTH ? null : hint(name, parts);
  if (hinted !== undefined) return hinted;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    return fromSchema(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, parts, name, depth + 1);
  }
  const among = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(isSchemas);
  const [first, ...others] = among ?? [];
  if (first !== undefined) return fromSchema(random.pick([first, ...others]), parts, name, depth + 1);
  if ('const' in schema) return schema['const'];
  const { enum: values, examples } = schema;
  if (Array.isArray(values) && values.length > 0) return random.pick([values[0], ...values.slice(1)]);
  if (Array.isArray(examples) && examples.length > 0 && random.chance(0.5)) return examples[0];
  const type = [schema['type']].flat();
  switch (random.pick([type[0], ...type.slice(1)])) {
    case 'object':
      return toObject(schema, parts, depth);
    case 'array': {
      const items = isSchema(schema['items']) ? schema['items'] : {};
      return Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => fromSchema(items, parts, name, depth + 1));
    }
    case 'string':
      return toText(schema, parts);
    case 'integer':
    case 'number': {
      const { minimum: least = 0, maximum: most = 50 } = schema;
      const value = random.integer(Number(least), Math.min(Number(most), Number(least) + 200));
      return schema['type'] === 'number' && random.chance(0.5) ? value / 3 : value;
    }
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return oddValue(random);
  }
}

function toObject(schema: JsonSchema, parts: SchemaParts, depth: number): unknown {
  const { random } = parts;
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: unknown;
  };
  const members = Object.entries(properties)
    .filter(([name]) => required.includes(name) || random.chance(PRESENT))
    .map(([name, member]): [string, unknown] => [name, fromSchema(member, parts, name, depth + 1)]);
  if (isSchema(additionalProperties)) members.push(['extra', fromSchema(additionalProperties, parts, '', depth + 1)]);
  return Object.fromEntries(members);
}

function toText({ format }: JsonSchema, { random, id }: SchemaParts): string {
  switch (format) {
    case 'uuid':
      return id();
    case 'email':
      return random.pick(['ada@example.org', `u${random.integer(0, 1e6)}@example.org`, 'ADA@EXAMPLE.ORG', 'no-mail']);
    case 'date-time':
    case 'date':
      return random.pick(timestamps);
    case 'uri':
      return random.pick(['https://nowhere.invalid/a', 'file:///tmp/a.txt', 'http://127.0.0.1:1/x', 'https://[::1']);
    default:
      return random.chance(0.6) ? random.pick(queries) : invalidString(random);
  }
}

/** Values for fields whose name says more than their type. */
function hint(name: string, { random, id }: SchemaParts): unknown {
  switch (name) {
    case 'filters':
    case 'search_filters':
    case 'metadata_filter':
      return random.chance(0.8) ? oddFilter(random) : undefined;
    case 'query':
      return random.chance(0.8) ? random.pick(queries) : undefined;
    case 'model':
      return random.chance(0.5) ? random.pick(models) : undefined;
    case 'as_of':
      return random.pick(timestamps);
    case 'conversation_id':
    case 'parent_id':
      return random.chance(0.7) ? id() : undefined;
    case 'subject_id':
    case 'object_id':
      return random.chance(0.8) ? id('entities') : undefined;
    case 'email':
    case 'username':
      return random.chance(0.6)
        ? random.pick(['ada@example.org', `u${random.integer(0, 1e6)}@example.org`])
        : undefined;
    case 'password':
    case 'current_password':
      return random.chance(0.6) ? PASSWORD : undefined;
    case 'stream':
      return random.chance(0.5);
    default:
      return undefined;
  }
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
const isSchemas = (value: unknown): value is readonly JsonSchema[] => Array.isArray(value) && value.length > 0;
