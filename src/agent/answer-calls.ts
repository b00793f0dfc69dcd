import type { Message, ToolCall } from '../models/message.ts';
import { callTool, type ToolOutcome } from '../toolbox/call-tool.ts';
import { fence } from '../toolbox/fence.ts';
import type { ToolContext } from '../toolbox/tool-context.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';

interface Answered {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
}

/**
 * Announces all calls of a turn, runs them side by side, and tells each result as it comes. The transcript gets the
 * results in the order of the calls, fenced as data.
 */
export async function* answerCalls(run: AgentRun, calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, void> {
  for (const call of calls) yield { type: 'tool_call', call };
  const running = new Map(calls.map((call) => [call, answerCall(run, call)]));
  const outcomes = new Map<ToolCall, ToolOutcome>();
  while (running.size > 0) {
    const { call, outcome } = await Promise.race(running.values());
    running.delete(call);
    outcomes.set(call, outcome);
    if (!outcome.isError && outcome.output.isUntrusted === true) run.containment.readUntrusted();
    const spent = run.budget.spent();
    yield {
      type: 'tool_result',
      callId: call.id,
      name: call.name,
      content: textOf(outcome),
      isError: outcome.isError,
      spent,
    };
  }
  run.toolCalls.push(...calls);
  run.transcript = [...run.transcript, ...calls.flatMap((call) => toMessage(call, outcomes.get(call)))];
}

async function answerCall(run: AgentRun, call: ToolCall): Promise<Answered> {
  const twin = run.toolCalls.find((earlier) => isSameCall(earlier, call));
  if (twin !== undefined) {
    const text =
      'Error [invalid_argument]: This very call was already made in this run; its result stands above. Next step: use that result, or call with other arguments.';
    return { call, outcome: { isError: true, code: 'invalid_argument', text } };
  }
  const tool = run.tools.find(({ name }) => name === call.name);
  const refusal = tool === undefined ? undefined : run.containment.refusal(tool, call.arguments);
  if (refusal !== undefined) {
    return { call, outcome: { isError: true, code: 'blocked', text: `Error [blocked]: ${refusal}` } };
  }
  const signal = AbortSignal.any([run.signal, run.budget.timeUp]);
  const context: ToolContext = {
    ...run.context,
    transcript: run.transcript,
    cite: (source) => run.sources.add(source),
    spend: (model, usage) => run.budget.add(model, usage),
    signal,
  };
  try {
    return { call, outcome: await callTool(call, run.tools, context) };
  } catch (error) {
    if (run.signal.aborted) throw error;
    const text = 'Error [timeout]: The time allowed for this run is used up. Next step: answer with what was found.';
    return { call, outcome: { isError: true, code: 'timeout', text } };
  }
}

const isSameCall = (a: ToolCall, b: ToolCall): boolean =>
  a.name === b.name && JSON.stringify(a.arguments) === JSON.stringify(b.arguments);

const textOf = (outcome: ToolOutcome): string => (outcome.isError ? outcome.text : outcome.output.text);

function toMessage(call: ToolCall, outcome: ToolOutcome | undefined): Message[] {
  if (outcome === undefined) return [];
  const text = outcome.isError
    ? outcome.text
    : fence(outcome.output.text, outcome.output.isUntrusted === true ? 'untrusted' : 'corpus');
  return [{ role: 'tool', callId: call.id, name: call.name, text, isError: outcome.isError }];
}
