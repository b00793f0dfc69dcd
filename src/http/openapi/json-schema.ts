import { z } from 'zod';

/** A JSON Schema (2020-12), the schema language of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Schemas converted so far, named and unnamed, so that none is converted twice. */
export class Components {
  readonly named = new Map<string, JsonSchema>();
  readonly written = new Map<z.ZodType, JsonSchema>();
}

/** zod adds this bound to every integer; it is left out because it tells readers nothing. */
const MAX_SAFE = String(Number.MAX_SAFE_INTEGER);

/**
 * Converts a zod schema to JSON Schema. Schemas with an `id` become references and are added to the components.
 * Refinements and transforms are described by their input.
 */
export function toJsonSchema(schema: z.ZodType, components: Components): JsonSchema {
  const before = components.written.get(schema);
  if (before !== undefined) return before;
  const { $defs = {}, properties = {} } = z.toJSONSchema(z.object({ schema }), { io: 'input', unrepresentable: 'any' });
  for (const [name, definition] of Object.entries($defs)) {
    if (!isAnyJson(name) && !components.named.has(name)) components.named.set(name, asObject(normalize(definition)));
  }
  const written = asObject(normalize(properties['schema']));
  components.written.set(schema, written);
  return written;
}

/** `z.json()` is the only unnamed schema that refers to itself. */
const isAnyJson = (name: string): boolean => name.startsWith('__schema');

function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  if (typeof $ref === 'string') {
    const name = $ref.slice('#/$defs/'.length);
    return isAnyJson(name) ? rest : { ...rest, $ref: `#/components/schemas/${name}` };
  }
  return Object.fromEntries(
    Object.entries(rest)
      .filter(([key, member]) => !isNoise(key, member, rest))
      .map(([key, member]) => [key, key === 'default' || key === 'examples' ? member : normalize(member)]),
  );
}

function isNoise(key: string, member: unknown, { format }: Readonly<Record<string, unknown>>): boolean {
  // The pattern repeats what the format says.
  if (key === 'pattern') return format === 'uuid' || format === 'date-time';
  if (key === '$schema' || key === 'id') return typeof member === 'string';
  if (key === 'maximum' || key === 'minimum') return String(member).replace('-', '') === MAX_SAFE;
  return key === 'propertyNames' && JSON.stringify(member) === '{"type":"string"}';
}

const asObject = (value: unknown): JsonSchema => (typeof value === 'object' && value !== null ? { ...value } : {});
