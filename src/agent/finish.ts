import type { Source } from '../citations/citation.ts';
import { unsupportedSentences } from '../citations/unsupported-sentences.ts';
import type { ToolCall } from '../models/message.ts';
import { WITHOUT_ANSWER } from '../models/without-answer.ts';
import type { AgentEvent, RunEnd } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import type { Turn } from './stream-turn.ts';

const LIMIT_MESSAGES = {
  steps: 'step limit',
  tokens: 'token limit',
  time: 'time limit',
  money: 'money limit',
} as const;

/**
 * Ends a run. The last text is the answer; when a limit left no text, the answer says so and lists what was found. With
 * `clientCalls`, the caller has to execute these; the answer may follow in a further run.
 */
export async function* finish(
  run: AgentRun,
  last: Turn | undefined,
  ended: RunEnd,
  clientCalls: readonly ToolCall[] = [],
): AsyncGenerator<AgentEvent, void> {
  let text = last?.text ?? '';
  if (text.trim() === '' && clientCalls.length === 0) {
    text = withoutAnswer(run, ended);
    yield { type: 'message', text };
  }
  const citations = last?.citations ?? [];
  yield {
    type: 'final_answer',
    answer: {
      text,
      citations,
      sources: ownSources(run),
      unsupported: last === undefined ? [] : unsupportedSentences(text, citations),
      removedMarkers: last?.removedMarkers ?? 0,
      conversationId: run.conversationId,
      ended,
      mode: run.mode,
      model: last?.model ?? run.model.name,
      isExtractive: run.isExtractive,
      ...(last?.support !== undefined && { support: last.support }),
      toolCalls: run.toolCalls,
      clientCalls,
      spent: run.budget.spent(),
    },
  };
}

function withoutAnswer(run: AgentRun, ended: RunEnd): string {
  const count = ownSources(run).length;
  const found = count === 0 ? 'No sources were found before that.' : `${count} sources were found before that.`;
  switch (ended) {
    case 'end':
    case 'length':
    case 'refusal':
      return WITHOUT_ANSWER[ended];
    case 'steps':
    case 'tokens':
    case 'time':
    case 'money':
      return `The ${LIMIT_MESSAGES[ended]} of this request was reached before an answer was written. ${found}`;
  }
}

/** Sources of this run's tools, and those of earlier turns that are cited again. */
function ownSources({ sources, inheritedSources, publicNumbers }: AgentRun): Source[] {
  return [...sources.numbered()]
    .filter(([number]) => number > inheritedSources || publicNumbers.has(number))
    .map(([, source]) => source);
}
