import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { sourceText } from '../citations/check-citation.ts';
import { type CitedPlace, citedPlace } from '../citations/session-citations.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { Message, ToolCall } from '../models/message.ts';
import { wholeCharacterEnd } from '../shared/text.ts';
import { callTool, failed, type ToolOutcome } from '../toolbox/call-tool.ts';
import { fence } from '../toolbox/fence.ts';
import type { ToolContext } from '../toolbox/tool-context.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';

interface AnsweredCall {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
  /** Text for the model and for the event stream, cut to the token limit. */
  readonly text: string;
}

/** Maximum number of tool calls of one turn that run concurrently. */
const MAX_CONCURRENT_CALLS = 8;

/**
 * Runs the calls of a turn concurrently, with one event per call and one per result as it arrives. Results are appended
 * to the transcript in call order, fenced as data. Calls still running are aborted when iteration stops.
 */
export async function* answerCalls(
  run: AgentRun,
  calls: readonly ToolCall[],
): AsyncGenerator<AgentEvent, readonly ToolOutcome[]> {
  for (const call of calls) yield { type: 'tool_call', call };
  const left = new AbortController();
  const limit = pLimit(MAX_CONCURRENT_CALLS);
  const running = new Map(
    calls.map((call) => [call, limit(() => answerCall(run, call, AbortSignal.any([run.signal, left.signal])))]),
  );
  const answers = new Map<ToolCall, AnsweredCall>();
  try {
    while (running.size > 0) {
      const answered = await Promise.race(running.values());
      const { call, outcome, text } = answered;
      running.delete(call);
      answers.set(call, answered);
      if (!outcome.isError) for (const listed of outcome.output.listedAddresses ?? []) run.containment.trust(listed);
      if (isUntrusted(outcome)) run.containment.readUntrusted();
      const spent = run.budget.spent();
      const files = outcome.isError ? [] : (outcome.output.files ?? []).map(({ bytes: _, ...file }) => file);
      yield {
        type: 'tool_result',
        callId: call.id,
        name: call.name,
        content: text,
        isError: outcome.isError,
        spent,
        ...(files.length > 0 && { files }),
      };
    }
  } finally {
    left.abort();
  }
  const inOrder = calls.flatMap((call) => answers.get(call) ?? []);
  run.toolCalls.push(...calls);
  run.transcript = [...run.transcript, ...inOrder.map(toMessage)];
  return inOrder.map(({ outcome }) => outcome);
}

function citedPlaceOf({ sources }: AgentRun, number: number): CitedPlace | undefined {
  const source = sources.get(number);
  return source && citedPlace(source);
}

/** Texts of the sources found in this run, without those of earlier turns. */
const textsOf = ({ sources, inheritedSources }: AgentRun): string[] =>
  [...sources.numbered(inheritedSources + 1)].map(([, source]) => sourceText(source));

async function answerCall(run: AgentRun, call: ToolCall, signal: AbortSignal): Promise<AnsweredCall> {
  const outcome = await runCall(run, call, signal);
  const text = cutToContext(outcome.isError ? outcome.text : outcome.output.text, run.maxToolTokens);
  return { call, outcome, text };
}

async function runCall(run: AgentRun, call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
  signal.throwIfAborted();
  if (wasAnswered(run.transcript, call)) {
    return failed(
      'invalid_argument',
      'This call was already made; its result is above.',
      'Use that result, or call with other arguments.',
    );
  }
  const tool = run.tools.find(({ name }) => name === call.name);
  const refusal = tool === undefined ? undefined : run.containment.refusal(tool, call.arguments);
  if (refusal !== undefined) return { isError: true, code: 'blocked', text: `Error [blocked]: ${refusal}` };
  const context: ToolContext = {
    ...run.context,
    conversationId: run.conversationId,
    transcript: run.transcript,
    cite: (source) => run.sources.add(source),
    cited: (number) => citedPlaceOf(run, number),
    shownTexts: () => textsOf(run),
    spend: (model, usage) => run.budget.add(model, usage),
    signal: AbortSignal.any([signal, run.budget.timeUp]),
  };
  try {
    return await callTool(call, run.tools, context);
  } catch (error) {
    if (signal.aborted) throw error;
    return failed('timeout', 'The time allowed for this run is used up.', 'Answer with what was found.');
  }
}

/** Whether the transcript holds a successful result of the same call. A result removed by compaction does not count. */
function wasAnswered(transcript: readonly Message[], call: ToolCall): boolean {
  return transcript.some((message, index) => {
    const duplicates =
      message.role === 'assistant' ? (message.toolCalls ?? []).filter((made) => isSameCall(made, call)) : [];
    return duplicates.some(({ id }) => {
      const answer = transcript.slice(index + 1).find((later) => later.role === 'tool' && later.callId === id);
      return answer?.role === 'tool' && !answer.isError;
    });
  });
}

const isSameCall = (a: ToolCall, b: ToolCall): boolean =>
  a.name === b.name && isDeepStrictEqual(a.arguments, b.arguments);

/** Second limit, for tools that do not cut their output themselves and for scripts with many tokens per character. */
function cutToContext(text: string, tokens: number): string {
  const needed = estimateTokens(text);
  if (needed <= tokens) return text;
  const end = wholeCharacterEnd(text, Math.floor((text.length * tokens) / needed));
  return `${text.slice(0, end)}\n(cut here, after ${end} of ${text.length} characters; ask for less at a time to see the rest)`;
}

function toMessage({ call, outcome, text }: AnsweredCall): Message {
  return { role: 'tool', callId: call.id, name: call.name, text: fenced(outcome, text), isError: outcome.isError };
}

function fenced(outcome: ToolOutcome, text: string): string {
  if (isUntrusted(outcome)) return fence(text, 'untrusted');
  return outcome.isError ? text : fence(text, 'corpus');
}

const isUntrusted = (outcome: ToolOutcome): boolean =>
  (outcome.isError ? outcome.isUntrusted : outcome.output.isUntrusted) === true;
