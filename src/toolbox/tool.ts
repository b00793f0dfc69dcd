import { z } from 'zod';
import type { Source } from '../citations/citation.ts';
import type { Json } from '../documents/document.ts';
import type { FieldIssue } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { commonAliases } from './read-arguments.ts';
import type { ToolContext } from './tool-context.ts';

/** What a tool cannot do without; where it is missing the tool is not offered. */
export type ToolNeed =
  | 'web_search'
  | 'web_pages'
  | 'sandbox'
  | 'reasoner'
  | 'answerer'
  | 'checker'
  // Met only where someone calls tools by themselves, outside of an agent's run; see tool-ports.ts.
  | 'intake'
  | 'folders'
  | 'research'
  | 'facts';

/** Hints for hosts and for the untrusted-text policy; all four are always written out. */
export interface ToolAnnotations {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** True when it reaches beyond this service: the web, a model provider, another server. */
  readonly openWorld: boolean;
}

export type JsonSchema = { readonly [key: string]: Json };

export interface ToolOutput {
  /** Complete on its own: a model that sees only this can go on. */
  readonly text: string;
  /** The same as data, complete on its own; fits the tool's `outputSchema`. */
  readonly structured: { readonly [key: string]: unknown };
  /** What the text refers to by `[n]`, and what may be cited. */
  readonly sources?: readonly Source[];
  /** Addresses that a search engine listed as results; a run may go on to read them. */
  readonly listedAddresses?: readonly string[];
  /** For faces that can show them; the text names them too. */
  readonly files?: readonly OutputFile[];
  /** True when the text holds words from outside the corpus and its owner: the web, other servers. */
  readonly isUntrusted?: boolean;
  /** True when another server answered that it failed: a failure told in words of strangers. */
  readonly isFailure?: boolean;
}

/** Something a tool made that is no text, or more than a text. */
export interface OutputFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export type ArgumentReading =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly issues: readonly FieldIssue[] };

/** One thing a model or an MCP client can call by name. Declared once, in `tools/`. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Written for a model: what it gives, when to reach for it, what it does not do. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  readonly annotations: ToolAnnotations;
  readonly needs: readonly ToolNeed[];
  /** Milliseconds a call may take before it is ended and reported as a failure. */
  readonly deadline: number;
  /** Other names that models give to members of the input: theirs → ours. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Checks arguments that were already made tolerant by `readArguments`. */
  check(given: unknown): ArgumentReading;
  /** `input` is what `check` returned. Throws ServiceError with words the calling model can act on. */
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
  execute(
    input: z.output<Input>,
    context: ToolContext,
  ): Promise<Omit<ToolOutput, 'structured'> & { readonly structured: z.input<Output> }>;
}

/** A tool from its zod schemas; the JSON Schemas that models and MCP clients see are derived from them once. */
export function defineTool<const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output> & { readonly name: Name },
): Tool & { readonly name: Name } {
  return {
    name: definition.name,
    title: definition.title,
    description: definition.description,
    inputSchema: toJsonSchema(definition.input, 'input'),
    outputSchema: toJsonSchema(definition.output, 'output'),
    annotations: definition.annotations,
    needs: definition.needs ?? [],
    deadline: definition.deadline,
    aliases: commonAliases,
    check(given) {
      const reading = definition.input.safeParse(given);
      const issues = [
        ...unknownArguments(given, Object.keys(definition.input.shape)),
        ...(reading.success ? [] : toIssues(reading.error).map(inWords)),
      ];
      return reading.success && issues.length === 0 ? { ok: true, input: reading.data } : { ok: false, issues };
    },
    execute: (input, context) => definition.execute(input as z.output<Input>, context),
  };
}

/** Arguments that the tool does not have. A tool without any takes no notice: some hosts always send one. */
function unknownArguments(given: unknown, known: readonly string[]): FieldIssue[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || known.length === 0) return [];
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      type: 'unrecognized_keys',
      loc: [name],
      msg: `there is no such argument; the nearest is "${nearestName(name, known)}", and all are ${known.join(', ')}`,
    }));
}

const inWords = (issue: FieldIssue): FieldIssue => {
  const [, expected] = /^Invalid input: expected (.+), received undefined$/.exec(issue.msg) ?? [];
  return expected === undefined ? issue : { ...issue, msg: `it is missing (${expected})` };
};

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
