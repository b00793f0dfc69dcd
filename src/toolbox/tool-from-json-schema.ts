import { z } from 'zod';
import type { Json } from '../documents/document.ts';
import type { ArgumentReading, JsonSchema, Tool, ToolAnnotations, ToolNeed, ToolOutput } from './tool.ts';
import { toIssues } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

/** A tool that comes with a JSON Schema of its own: of another server, or of a caller. */
export interface ForeignTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | null;
  /** Left out, the worst is assumed: it changes things, and reaches outside. */
  readonly annotations?: ToolAnnotations;
  readonly needs?: readonly ToolNeed[];
  /** Milliseconds a call may take. */
  readonly deadline?: number;
  /** `input` fits the schema and is what the model wrote, member for member. */
  execute(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolOutput>;
}

const STANDARD_DEADLINE = 60_000;

/**
 * A tool from its JSON Schema. Arguments are checked and handed on as they are: no default is filled in, no member
 * dropped, no name changed. What the schema says in words this checker does not know is not checked.
 */
export function toolFromJsonSchema(foreign: ForeignTool): Tool {
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
    deadline: foreign.deadline ?? STANDARD_DEADLINE,
    check(given): ArgumentReading {
      const reading = schema.safeParse(given);
      return reading.success ? { ok: true, input: given } : { ok: false, issues: toIssues(reading.error) };
    },
    execute: (input, context) => foreign.execute(input as Readonly<Record<string, unknown>>, context),
  };
}

/** Providers want `type: object` and `properties`, and some servers leave out either. */
const asObjectSchema = (schema: JsonSchema): JsonSchema => ({ properties: {}, ...schema, type: 'object' });

// The converter throws on what it does not know; then what is unusual gives way, bit by bit, to what is certain.
function toZod(schema: JsonSchema): z.ZodType {
  const plain = rewrite(schema, withoutDefault);
  for (const candidate of [plain, rewrite(plain, withKnownType)]) {
    try {
      const converted = z.fromJSONSchema(candidate as Parameters<typeof z.fromJSONSchema>[0]);
      // Some schemas convert and fail at the first value.
      converted.safeParse({});
      return withRequired(converted, schema);
    } catch {}
  }
  return withRequired(z.looseObject({}), schema);
}

/** A member that must be there must be there, also when nothing more is said of it. */
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

// The converter lets a member with a default be left out, required or not.
const withoutDefault = ({ default: _, ...schema }: JsonSchema): JsonSchema => schema;

const TYPES: ReadonlySet<Json> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Without a type that JSON Schema has not (`float`, `dict`, `any`): such a member may be anything. */
function withKnownType({ type, ...schema }: JsonSchema): JsonSchema {
  return type === undefined || (typeof type === 'string' && !TYPES.has(type)) ? schema : { ...schema, type };
}

/** The schema with every schema in it changed; values, which may look like schemas, are left alone. */
function rewrite(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: Json): Json => (isObject(value) ? rewrite(value, change) : value);
  const members = Object.entries(change(schema)).map(([key, value]): [string, Json] => {
    if (MAPS.has(key) && isObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))];
    }
    if (VALUES.has(key)) return [key, value];
    return [key, Array.isArray(value) ? value.map(inner) : inner(value)];
  });
  return Object.fromEntries(members);
}

const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'examples', 'required']);

const isObject = (value: Json | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
