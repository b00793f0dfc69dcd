import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Json } from '../documents/document.ts';
import type { JsonSchema } from '../toolbox/tool.ts';

/**
 * A JSON Schema as the SDK wants schemas, made once: it is shown to clients as it is, and lets every value pass, since
 * `callTool` does the checking, with its tolerance and its words.
 */
export function advertised(schema: JsonSchema, io: 'input' | 'output'): StandardSchemaWithJSON<unknown> {
  const shown = withoutNoise(schema, NOISE[io]) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'citewell',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => shown, output: () => shown },
    },
  };
}

// What says nothing that a client does not know costs every model that reads the list.
function withoutNoise(value: Json, noise: ReadonlySet<string>, isProperties = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => withoutNoise(each, noise));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonSchema)
      .filter(([key, each]) => isProperties || !(noise.has(key) || isNoise(key, each)))
      .map(([key, each]) => [key, withoutNoise(each, noise, key === 'properties' && !isProperties)]),
  );
}

// What any integer is within, and members that may be anything.
const isNoise = (key: string, value: Json): boolean =>
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER || (key === 'additionalProperties' && typeof value === 'object');

// Strict conversions refuse several of these, some hosts cannot read the patterns, and `callTool` checks them all.
const ALWAYS = [
  'propertyNames',
  '$schema',
  'pattern',
  'format',
  'contentEncoding',
  'minLength',
  'maxLength',
  'maxItems',
];
/** A result fits its schema anyway, so that of it only the shape is told. */
const NOISE = {
  input: new Set(ALWAYS),
  output: new Set([...ALWAYS, 'additionalProperties', 'required', 'description', 'minimum', 'maximum']),
} as const;
