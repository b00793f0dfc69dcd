import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Json } from '../documents/document.ts';
import type { JsonSchema } from '../toolbox/tool.ts';

/**
 * A JSON Schema as the SDK wants schemas, made once: it is shown to clients as it is, and lets every value pass, since
 * `callTool` does the checking, with its tolerance and its words.
 */
export function advertised(schema: JsonSchema): StandardSchemaWithJSON<unknown> {
  const shown = withoutNoise(schema) as Record<string, unknown>;
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
function withoutNoise(value: Json, isProperties = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => withoutNoise(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonSchema)
      .filter(([key, each]) => isProperties || !(NOISE.has(key) || Math.abs(Number(each)) === Number.MAX_SAFE_INTEGER))
      .map(([key, each]) => [key, withoutNoise(each, key === 'properties' && !isProperties)]),
  );
}

const NOISE: ReadonlySet<string> = new Set(['propertyNames', '$schema']);
