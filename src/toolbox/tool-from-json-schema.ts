import { z } from 'zod';
import type { Json } from '../documents/document.ts';
import { explainIssue } from '../shared/explain-issue.ts';
import type { ArgumentReading, JsonSchema, Tool, ToolAnnotations, ToolNeed, ToolOutput } from './tool.ts';
import { toIssues } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

/** A tool defined by a JSON Schema, from an external server or a caller. */
export interface JsonSchemaTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | null;
  /** Defaults to the most dangerous: destructive and open-world. */
  readonly annotations?: ToolAnnotations;
  readonly needs?: readonly ToolNeed[];
  /** Milliseconds a call may take. */
  readonly deadline?: number;
  /** `input` conforms to the schema and is otherwise exactly what the model wrote. */
  execute(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolOutput>;
}

const DEFAULT_DEADLINE_MS = 60_000;

/**
 * Builds a tool from a JSON Schema. Arguments are validated but passed on unchanged: no defaults, no dropped members, no
 * renaming. Schema keywords unknown to the validator are ignored.
 */
export function toolFromJsonSchema(foreign: JsonSchemaTool): Tool {
  const { name, description } = foreign;
  const inputSchema = asObjectSchema(foreign.inputSchema);
  const schema = toZod(inputSchema);
  return {
    name,
    title: foreign.title ?? name,
    description,
    inputSchema,
    outputSchema: foreign.outputSchema ?? null,
    annotations: foreign.annotations ?? { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    needs: foreign.needs ?? [],
    deadline: foreign.deadline ?? DEFAULT_DEADLINE_MS,
    check(given): ArgumentReading {
      const reading = schema.safeParse(given, { error: explainIssue });
      return reading.success ? { ok: true, input: given } : { ok: false, issues: toIssues(reading.error) };
    },
    execute: (input, context) => foreign.execute(input as Readonly<Record<string, unknown>>, context),
  };
}

/** Adds `type: object` and `properties`, which providers require and some servers omit. */
const asObjectSchema = (schema: JsonSchema): JsonSchema => ({ properties: {}, ...schema, type: 'object' });

// The converter throws on unknown constructs; the schema is then simplified step by step.
function toZod(schema: JsonSchema): z.ZodType {
  const plain = rewrite(schema, withoutDefault);
  for (const candidate of [plain, rewrite(plain, withKnownType)]) {
    try {
      const converted = z.fromJSONSchema(candidate as Parameters<typeof z.fromJSONSchema>[0]);
      // Some schemas convert without error but throw at the first value.
      converted.safeParse({});
      return withRequired(converted, schema);
    } catch {}
  }
  return withRequired(z.looseObject({}), schema);
}

/** Requires members even when the schema has no properties for them. */
function withRequired(converted: z.ZodType, { required }: JsonSchema): z.ZodType {
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
  return converted.superRefine((value, context) => {
    if (typeof value !== 'object' || value === null) return;
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'is missing' });
    }
  });
}

// The converter makes members with a default optional, even required ones.
const withoutDefault = ({ default: _, ...schema }: JsonSchema): JsonSchema => schema;

const TYPES: ReadonlySet<Json> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Removes types that JSON Schema does not have (`float`, `dict`, `any`). */
function withKnownType({ type, ...schema }: JsonSchema): JsonSchema {
  return type === undefined || (typeof type === 'string' && !TYPES.has(type)) ? schema : { ...schema, type };
}

/** Applies a change to all subschemas; values such as examples and defaults are left alone. */
function rewrite(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: Json): Json => (isObject(value) ? rewrite(value, change) : value);
  const members = Object.entries(change(schema)).map(([key, value]): [string, Json] => {
    if (SCHEMA_MAP_KEYWORDS.has(key) && isObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))];
    }
    if (VALUE_KEYWORDS.has(key)) return [key, value];
    return [key, Array.isArray(value) ? value.map(inner) : inner(value)];
  });
  return Object.fromEntries(members);
}

const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['enum', 'const', 'examples', 'required']);

const isObject = (value: Json | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
