import { jsonProblem } from '../documents/json-problem.ts';
import { messageFor, ServiceError } from '../errors.ts';
import type { ToolCall } from '../models/message.ts';
import { raceAbort, startDeadline } from '../shared/abort.ts';
import { jsonOrUndefined } from '../shared/text.ts';
import { readArguments } from './read-arguments.ts';
import type { Tool, ToolOutput } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

export type ToolErrorCode =
  | 'invalid_argument'
  | 'unknown_tool'
  | 'not_found'
  | 'not_configured'
  | 'backend_unavailable'
  | 'timeout'
  | 'rate_limited'
  | 'too_large'
  | 'blocked'
  | 'unsupported'
  | 'cancelled'
  | 'internal';

export type ToolOutcome =
  | { readonly isError: false; readonly output: ToolOutput }
  | {
      readonly isError: true;
      readonly code: ToolErrorCode;
      readonly text: string;
      /** True when the text contains untrusted content. */
      readonly isUntrusted?: boolean;
    };

/**
 * Finds the tool, validates the arguments and runs it under its deadline. Throws only when the caller aborts; every other
 * failure becomes an outcome whose text tells the calling model what happened and what to do next.
 */
export async function callTool(call: ToolCall, tools: readonly Tool[], context: ToolContext): Promise<ToolOutcome> {
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) {
    const names = tools.map((known) => known.name).join(', ');
    return failed('unknown_tool', `There is no tool named "${call.name}".`, `Call one of: ${names}.`);
  }
  const given = readArguments(call.arguments, tool.inputSchema, tool.aliases);
  const problem = jsonProblem(given);
  if (problem !== undefined) {
    return failed(
      'invalid_argument',
      `The arguments of ${tool.name}: ${problem.message}`,
      'Call it again without that.',
    );
  }
  const reading = tool.check(given);
  if (!reading.ok) {
    const problems = reading.issues.map((issue) => `${issue.loc.join('.') || 'arguments'}: ${issue.msg}`).join('; ');
    const complaint =
      typeof call.arguments === 'string' &&
      call.arguments.trim() !== '' &&
      jsonOrUndefined(call.arguments) === undefined
        ? `The arguments of ${tool.name} are not valid JSON`
        : `The arguments of ${tool.name} do not fit its schema: ${problems}`;
    return failed('invalid_argument', `${complaint}.`, `Call ${tool.name} again with corrected arguments.`);
  }
  return runUnderDeadline(tool, reading.input, context);
}

async function runUnderDeadline(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  using deadline = startDeadline(tool.deadline, context.signal);
  const { signal } = deadline;
  try {
    signal.throwIfAborted();
    const execute = () => tool.execute(input, { ...context, signal });
    const output = await raceAbort(context.traceTool?.(tool.name, execute) ?? execute(), signal);
    if (output.isFailure === true) {
      return {
        isError: true,
        code: 'backend_unavailable',
        text: output.text,
        isUntrusted: output.isUntrusted === true,
      };
    }
    return { isError: false, output };
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (deadline.isOver) {
      const seconds = tool.deadline / 1000;
      const advice = tool.timeoutAdvice ?? 'Ask for less at a time.';
      return failed('timeout', `${tool.name} took longer than ${seconds} s and was ended.`, advice);
    }
    return fromError(tool, error, context);
  }
}

function fromError(tool: Tool, error: unknown, { settings, report }: ToolContext): ToolOutcome {
  if (!(error instanceof ServiceError)) {
    report?.(`The tool ${tool.name} failed unexpectedly.`, error);
    return failed('internal', `${tool.name} failed inside the service.`, 'Go on without it, or try once more.');
  }
  const message = messageFor(error, settings.audience);
  switch (error.code) {
    case 'invalid_request':
    case 'invalid_field':
    case 'range_not_satisfiable':
    case 'conflict':
      return failed('invalid_argument', message, 'Correct the arguments and call again.');
    case 'not_found':
    case 'forbidden':
      return failed('not_found', message, 'Search for the right identifier first.');
    case 'not_configured':
    case 'unknown_model':
    case 'unauthenticated':
    case 'token_expired':
      return failed('not_configured', message, 'Go on without this tool.');
    case 'rate_limited':
      return failed('rate_limited', message, 'Wait, or go on without it.');
    case 'too_large':
      return failed('too_large', message, 'Ask for less.');
    case 'unsupported_type':
      return failed('unsupported', message, 'Use another source.');
    case 'timeout':
      return failed('timeout', message, 'Try once more, or ask for less.');
    case 'cancelled':
      return failed('cancelled', message, 'Do not repeat the call.');
    case 'provider_failed':
    case 'store_failed':
    case 'embedding_mismatch':
      return failed('backend_unavailable', message, 'Try once more, then go on without it.');
    case 'internal':
      return failed('internal', message, 'Go on without it.');
  }
}

/** The text starts with "Error", because some clients drop the isError flag. */
export function failed(code: ToolErrorCode, happened: string, next: string): ToolOutcome {
  return { isError: true, code, text: `Error [${code}]: ${happened} Next step: ${next}` };
}
