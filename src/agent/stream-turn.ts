import type { CheckedCitation } from '../citations/check-citation.ts';
import { MarkerScanner } from '../citations/marker-scanner.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { ThinkingBlock, ToolCall } from '../models/message.ts';
import type { QuoteSupport } from '../models/model.ts';
import type { AgentEvent, RunEnd } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import type { BudgetReason } from './budget.ts';
import { CitingText } from './citing-text.ts';
import { declaredTools } from './declared-tools.ts';
import { estimateInput } from './estimate-transcript.ts';

export interface Turn {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly citations: readonly CheckedCitation[];
  readonly removedMarkers: number;
  readonly ended: RunEnd;
  /** Model snapshot as reported by the provider; undefined when the stream did not complete. */
  readonly model?: string;
  /** Extractive answers only: whether the quotes answer the question. */
  readonly support?: QuoteSupport;
  /** The limit that aborted the turn, if any; `text` is then incomplete. */
  readonly abortedBy?: BudgetReason;
}

const ANSWER_NOW =
  'This is the last step: no tool can be called any more. Answer now with what was found, and say what is missing.';

/**
 * Streams one turn: text with citations as it arrives, tool calls collected, the turn appended to the transcript. With
 * `limit` it is the last turn: no tool may be called, and the limit is reported as the reason for the end.
 */
export async function* streamTurn(run: AgentRun, limit?: BudgetReason): AsyncGenerator<AgentEvent, Turn> {
  const declared = declaredTools(run);
  const mustAnswer = limit !== undefined && declared.length > 0;
  const scanner = new MarkerScanner(
    (number) => run.sources.get(number) !== undefined,
    (number) => publicNumber(run, number),
  );
  const citingText = new CitingText(run, scanner);
  // The model's own text with internal source numbers; public numbers are assigned in order of first use.
  let modelText = '';
  const calls: ToolCall[] = [];
  const thinking: ThinkingBlock[] = [];
  let ended: RunEnd = 'end';
  let cut: BudgetReason | undefined;
  let model: string | undefined;
  let support: QuoteSupport | undefined;
  const signal = AbortSignal.any([run.signal, run.budget.timeUp]);
  try {
    const events = run.model.stream({
      messages: mustAnswer ? [...run.transcript, { role: 'user', text: ANSWER_NOW }] : run.transcript,
      tools: declared,
      toolChoice: mustAnswer ? 'none' : 'auto',
      config: withinBudget(run),
      signal,
    });
    for await (const event of events) {
      switch (event.type) {
        case 'text':
          modelText += event.text;
          yield* citingText.take(scanner.push(event.text));
          break;
        case 'thinking':
          if (run.config.extendedThinking === true) yield { type: 'thinking', text: event.text };
          break;
        case 'waiting':
          yield event;
          break;
        case 'thinking_block':
          thinking.push(event.block);
          break;
        case 'tool_call':
          if (!mustAnswer) calls.push(event.call);
          break;
        case 'stop':
          run.budget.add(event.model, event.usage);
          model = event.snapshot ?? event.model;
          support = event.support;
          ended = event.reason === 'tool_calls' ? 'end' : event.reason;
          if (ended === 'end' && mustAnswer) ended = limit;
      }
    }
  } catch (error) {
    if (run.signal.aborted || !run.budget.timeUp.aborted) throw error;
    cut = 'time';
    // An aborted stream reports no usage, so it is estimated.
    const [input, output] = [estimateInput(run), estimateTokens(modelText)];
    run.budget.add(run.model.name, { input, cachedInput: 0, output, reasoning: 0 });
  }
  yield* citingText.take(scanner.end());
  run.transcript = [
    ...run.transcript,
    {
      role: 'assistant',
      text: modelText,
      ...(calls.length === 0 ? {} : { toolCalls: calls }),
      ...(thinking.length === 0 ? {} : { thinking }),
    },
  ];
  return {
    text: scanner.text,
    calls,
    citations: citingText.citations,
    removedMarkers: scanner.removed,
    ended,
    ...(cut === undefined ? {} : { abortedBy: cut }),
    ...(model === undefined ? {} : { model }),
    ...(support === undefined ? {} : { support }),
  };
}

/** The public number of a source; assigned at its first citation. */
function publicNumber({ publicNumbers: given }: AgentRun, number: number): number {
  const known = given.get(number);
  if (known !== undefined) return known;
  given.set(number, given.size + 1);
  return given.size;
}

/** Limits the output tokens of a turn to the remaining budget. */
function withinBudget(run: AgentRun): AgentRun['config'] {
  const left = run.budget.outputLeft(estimateInput(run));
  if (!Number.isFinite(left)) return run.config;
  return { ...run.config, maxTokens: Math.max(1, Math.min(run.config.maxTokens ?? left, left)) };
}
