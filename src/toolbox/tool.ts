import { z } from 'zod';
import type { Source } from '../citations/citation.ts';
import type { FieldIssue } from '../errors.ts';
import { explainIssue } from '../shared/explain-issue.ts';
import { misspelledName } from '../shared/nearest-name.ts';
import { commonAliases, type JsonSchema } from './read-arguments.ts';
import type { ToolContext } from './tool-context.ts';

/** Dependencies of a tool; the tool is offered only when they are met. */
export type ToolNeed =
  | 'web_search'
  | 'web_pages'
  | 'sandbox'
  | 'reasoner'
  | 'answerer'
  | 'checker'
  // Met only for direct tool calls, outside of an agent run; see tool-ports.ts.
  | 'ingestion'
  | 'folders'
  | 'research'
  | 'facts';

/** Hints for MCP hosts and for containment; all four are always given. */
export interface ToolAnnotations {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** True when it contacts anything outside this service: the web, a model provider, another server. */
  readonly openWorld: boolean;
}

export type { JsonSchema };

export interface ToolOutput {
  /** Text result; self-contained for a model that sees nothing else. */
  readonly text: string;
  /** The same as data, self-contained; conforms to the tool's `outputSchema`. */
  readonly structured: { readonly [key: string]: unknown };
  /** Sources behind the markers `[n]` of the text. */
  readonly sources?: readonly Source[];
  /** URLs that a search engine listed as results; containment allows them afterwards. */
  readonly listedAddresses?: readonly string[];
  /** For clients that can show files; the text mentions them too. */
  readonly files?: readonly OutputFile[];
  /** True when the text contains untrusted content: from the web or other servers. */
  readonly isUntrusted?: boolean;
  /** True when an external server reported an error; the text is then untrusted too. */
  readonly isFailure?: boolean;
}

/** A file made by a tool. */
export interface OutputFile {
  /** Relative path, unique among the files of a call. */
  readonly name: string;
  /** Id under which the file can be read for a limited time; absent if files are not kept. */
  readonly runId?: string | undefined;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  /** Absent when the tool ran in another process; the file can then be read through `runId`. */
  readonly bytes?: Uint8Array;
}

export type ArgumentReading =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly issues: readonly FieldIssue[] };

/** Something a model or an MCP client can call by name. Declared once, in `tools/`. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Written for a model: what the tool returns, when to use it, what it does not do. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  readonly annotations: ToolAnnotations;
  readonly needs: readonly ToolNeed[];
  /** Milliseconds after which a call is aborted and reported as failed. */
  readonly deadline: number;
  /** What to do after a call that exceeded the deadline; default is to ask for less. */
  readonly timeoutAdvice?: string;
  /** Alternative argument names used by models: theirs → ours. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Validates arguments already coerced by `readArguments`. */
  check(given: unknown): ArgumentReading;
  /** `input` is the result of `check`. Throws ServiceError with a message the calling model can act on. */
  execute(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  readonly needs?: readonly ToolNeed[];
  readonly deadline: number;
  readonly timeoutAdvice?: string;
  execute(
    input: z.output<Input>,
    context: ToolContext,
  ): Promise<Omit<ToolOutput, 'structured'> & { readonly structured: z.input<Output> }>;
}

/** Defines a tool from its zod schemas; the JSON Schemas for models and MCP clients are derived from them. */
export function defineTool<const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output> & { readonly name: Name },
): Tool & { readonly name: Name } {
  let inputSchema: JsonSchema | undefined;
  let outputSchema: JsonSchema | undefined;
  return {
    name: definition.name,
    title: definition.title,
    description: definition.description,
    // Converted lazily, because programs define all tools but offer only some.
    get inputSchema() {
      inputSchema ??= toJsonSchema(definition.input, 'input');
      return inputSchema;
    },
    get outputSchema() {
      outputSchema ??= toJsonSchema(definition.output, 'output');
      return outputSchema;
    },
    annotations: definition.annotations,
    needs: definition.needs ?? [],
    deadline: definition.deadline,
    ...(definition.timeoutAdvice !== undefined && { timeoutAdvice: definition.timeoutAdvice }),
    aliases: commonAliases,
    check(given) {
      const reading = definition.input.safeParse(given, { error: explainIssue });
      const issues = [
        ...unknownArguments(given, Object.keys(definition.input.shape)),
        ...(reading.success ? [] : toIssues(reading.error)),
      ];
      return reading.success && issues.length === 0 ? { ok: true, input: reading.data } : { ok: false, issues };
    },
    execute: (input, context) => definition.execute(input as z.output<Input>, context),
  };
}

/** Arguments that the tool does not have; ignored for tools without arguments, because some hosts always send one. */
function unknownArguments(given: unknown, known: readonly string[]): FieldIssue[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || known.length === 0) return [];
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = misspelledName(name, known);
      const hint = meant === undefined ? '.' : `; did you mean "${meant}"?`;
      return {
        type: 'unrecognized_keys',
        loc: [name],
        msg: `unknown argument${hint} The arguments are ${known.join(', ')}`,
      };
    });
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json as JsonSchema;
}

export function toIssues(error: z.ZodError): FieldIssue[] {
  return error.issues.map((issue) => ({
    type: issue.code ?? 'invalid',
    loc: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    msg: issue.message,
  }));
}
