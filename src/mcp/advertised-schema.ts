import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Json } from '../documents/document.ts';
import type { JsonSchema } from '../toolbox/tool.ts';

/**
 * Adapts a JSON Schema to the SDK's schema interface: advertised to clients, but accepting every value, because
 * `callTool` validates arguments itself.
 */
export function advertised(schema: JsonSchema, io: 'input' | 'output'): StandardSchemaWithJSON<unknown> {
  const shown = withoutKeywords(schema, REMOVED_KEYWORDS[io]) as Record<string, unknown>;
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
function withoutKeywords(value: Json, noise: ReadonlySet<string>, isProperties = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => withoutKeywords(each, noise));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonSchema)
      .filter(([key, each]) => isProperties || !(noise.has(key) || isNoise(key, each)))
      .map(([key, each]) => [key, withoutKeywords(each, noise, key === 'properties' && !isProperties)]),
  );
}

// Default integer bounds, and `additionalProperties` that allows anything.
const isNoise = (key: string, value: Json): boolean =>
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER || (key === 'additionalProperties' && typeof value === 'object');

// Strict schema conversions reject several of these and some hosts cannot parse the patterns; `callTool` checks them.
const ALWAYS_REMOVED = [
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
const REMOVED_KEYWORDS = {
  input: new Set(ALWAYS_REMOVED),
  output: new Set([...ALWAYS_REMOVED, 'additionalProperties', 'required', 'description', 'minimum', 'maximum']),
} as const;
