import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Json } from '../documents/document.ts';
import type { JsonSchema } from '../toolbox/tool.ts';

/**
 * Adapts a JSON Schema to the SDK's schema interface: advertised to clients, but accepting every value, because
 * `callTool` validates arguments itself.
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

// Keywords without information for clients cost tokens of every model that reads the tool list.
function withoutNoise(value: Json, noise: ReadonlySet<string>, isProperties = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => withoutNoise(each, noise));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonSchema)
      .filter(([key, each]) => isProperties || !(noise.has(key) || isNoise(key, each)))
      .map(([key, each]) => [key, withoutNoise(each, noise, key === 'properties' && !isProperties)]),
  );
}

// Default integer bounds, and `additionalProperties` that allows anything.
const isNoise = (key: string, value: Json): boolean =>
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER || (key === 'additionalProperties' && typeof value === 'object');

// Strict schema conversions reject several of these and some hosts cannot parse the patterns; `callTool` checks them.
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
/** Results conform to their schema anyway, so only the shape is advertised. */
const NOISE = {
  input: new Set(ALWAYS),
  output: new Set([...ALWAYS, 'additionalProperties', 'required', 'description', 'minimum', 'maximum']),
} as const;
