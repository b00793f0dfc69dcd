import type { Source } from '../citations/citation.ts';
import { unsupportedSentences } from '../citations/unsupported-sentences.ts';
import type { AgentEvent, RunEnd } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import type { Turn } from './stream-turn.ts';

const LIMIT_WORDS = {
  steps: 'step limit',
  tokens: 'token limit',
  time: 'time limit',
  money: 'money limit',
} as const;

/** Ends a run: the last text is the answer; where a limit left none, the answer says so and what was found. */
export async function* finish(run: AgentRun, last: Turn | undefined, ended: RunEnd): AsyncGenerator<AgentEvent, void> {
  let text = last?.text ?? '';
  if (text.trim() === '') {
    text = withoutAnswer(run, ended);
    yield { type: 'message', text };
  }
  const citations = last?.citations ?? [];
  yield {
    type: 'final_answer',
    answer: {
      text,
      citations,
      sources: allSources(run),
      unsupported: last === undefined ? [] : unsupportedSentences(text, citations),
      removedMarkers: last?.removedMarkers ?? 0,
      conversationId: run.conversationId,
      ended,
      mode: run.mode,
      model: run.model.name,
      isExtractive: run.isExtractive,
      toolCalls: run.toolCalls,
      spent: run.budget.spent(),
    },
  };
}

function withoutAnswer({ sources }: AgentRun, ended: RunEnd): string {
  const found = sources.size === 0 ? 'Nothing was found until then.' : `${sources.size} sources were found until then.`;
  switch (ended) {
    case 'end':
      return 'The model ended without an answer.';
    case 'length':
      return 'The model reached its output limit before it wrote an answer. Raise max_tokens.';
    case 'refusal':
      return 'The model declined to answer.';
    case 'steps':
    case 'tokens':
    case 'time':
    case 'money':
      return `The ${LIMIT_WORDS[ended]} of this request was reached before an answer was written. ${found}`;
  }
}

function allSources({ sources }: AgentRun): Source[] {
  return Array.from({ length: sources.size }, (_, index) => sources.get(index + 1)).filter(
    (source) => source !== undefined,
  );
}
