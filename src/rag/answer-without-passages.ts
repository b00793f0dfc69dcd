import { collectReply } from '../models/collect-reply.ts';
import { noUsage } from '../models/model.ts';
import { builtInPrompts } from '../prompts/prompt-texts.ts';
import type { SearchOutcome } from '../retrieval/retriever.ts';
import { clientCallsIn, exchangeMessages, noClientTools } from '../toolbox/client-tools.ts';
import type { Generation } from './generate-answer.ts';
import type { RagAnswer, RagEvent } from './rag-event.ts';

const NOTHING_FOUND = 'Nothing was found in the documents that matches this question, so it is not answered.';

const ASK_CALLER =
  'No passage of the documents matches the question below. Call one of the functions if it can answer the question, or answer with what they returned. Do not answer from memory.';

export type UnansweredQuestion = Pick<Generation, 'request' | 'outcome' | 'web' | 'model' | 'prompts'>;

/**
 * The answer when nothing was found. Without passages, a model would answer from memory, which could not be told from
 * an answer based on documents. So it is asked only if the caller has functions, and its text is passed on only once
 * these have returned a result.
 */
export async function* answerWithoutPassages(
  unfound: UnansweredQuestion,
  signal: AbortSignal,
): AsyncGenerator<RagEvent, void> {
  const { outcome, web, model, request } = unfound;
  const { clientTools = noClientTools } = request;
  const nothing = { text: NOTHING_FOUND, model: model.name, stopReason: 'end', usage: noUsage } as const;
  if (clientTools.specs.length === 0 && clientTools.exchange.length === 0) {
    yield* answerOf(nothing, { outcome, web });
    return;
  }
  const { text, calls, snapshot, model: name, reason: stopReason, usage } = await askModel(unfound, signal);
  const mayAnswer = clientTools.exchange.length > 0 && text !== '';
  yield* answerOf(
    {
      text: calls.length > 0 || mayAnswer ? text : NOTHING_FOUND,
      model: snapshot ?? name,
      stopReason,
      usage,
      clientCalls: calls,
    },
    { outcome, web },
  );
}

async function askModel({ request, model, prompts = builtInPrompts }: UnansweredQuestion, signal: AbortSignal) {
  const { generation: config, clientTools = noClientTools } = request;
  const reply = await collectReply(model, {
    messages: [
      { role: 'system', text: prompts.fill('system') },
      { role: 'user', text: `${ASK_CALLER}\n\nQuestion: ${request.query}` },
      ...exchangeMessages(clientTools),
    ],
    tools: clientTools.specs,
    config,
    signal,
  });
  const calls = clientCallsIn(reply.calls, clientTools);
  return { ...reply, text: calls.length > 0 && clientTools.exchange.length === 0 ? '' : reply.text.trim(), calls };
}

type AnswerFields = Pick<RagAnswer, 'text' | 'model' | 'stopReason' | 'usage' | 'clientCalls'>;

function* answerOf(
  written: AnswerFields,
  { outcome, web }: { readonly outcome: SearchOutcome; readonly web: RagAnswer['web'] },
): Generator<RagEvent, void> {
  if (written.text !== '') yield { type: 'message', text: written.text };
  yield {
    type: 'final_answer',
    answer: {
      ...written,
      citations: [],
      search: outcome,
      ...(web !== undefined && { web }),
      mode: 'generative',
      removedMarkers: 0,
    },
  };
}
