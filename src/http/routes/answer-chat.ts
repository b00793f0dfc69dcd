import type { Principal } from '../../access/principal.ts';
import { plainRequest } from '../../agent/plain-request.ts';
import { ServiceError } from '../../errors.ts';
import { EXTRACTIVE_MODEL } from '../../models/default-models.ts';
import { visibleTo } from '../../retrieval/visible-to.ts';
import { invalidField } from '../check-shape.ts';
import type { HttpServices } from '../http-services.ts';
import { type ChatAnswer, type ChatPart, fromAgent, fromRag } from '../wire/chat-answer.ts';
import type { ChatCall } from '../wire/chat-request.ts';

export type ChatServices = Pick<HttpServices, 'agent' | 'answerer' | 'limits' | 'log' | 'models'>;

type AnswerableCall = Pick<ChatCall, 'model' | 'question' | 'earlier' | 'search' | 'generation' | 'clientTools'>;

export interface ChatCaller {
  readonly principal: Principal;
  /** Path of the request member that asks for a format, for errors. */
  readonly formatField: readonly string[];
  readonly signal: AbortSignal;
}

/** The parts of the answer. Throws `invalid_field`. */
export async function answerChat(
  call: AnswerableCall,
  { agent, answerer, models }: ChatServices,
  { principal, formatField, signal }: ChatCaller,
): Promise<AsyncIterable<ChatPart>> {
  const search = visibleTo(principal, call.search);
  const { generation, question, earlier, clientTools } = call;
  if (
    generation.responseFormat !== undefined &&
    models.resolve(generation.model, 'quality').name === EXTRACTIVE_MODEL
  ) {
    const message = 'needs a language model, and answers here are quotations; leave it out, or name a model';
    throw invalidField('value_error', ['body', ...formatField], message);
  }
  if (call.model.kind === 'rag') {
    const ragRequest = { query: question, earlier, search, generation, clientTools, includeTitle: true };
    return fromRag(answerer.answer(ragRequest, signal));
  }
  const prepared = await agent.prepare({
    ...plainRequest(principal, question),
    mode: call.model.kind === 'research' ? 'research' : 'rag',
    earlier,
    search,
    generation,
    clientTools,
    name: false,
  });
  return fromAgent(prepared.events(signal));
}

/** Waits for the complete answer, which is the last part. */
export async function wholeAnswer(parts: AsyncIterable<ChatPart>): Promise<ChatAnswer> {
  let whole: ChatAnswer | undefined;
  for await (const part of parts) if (part.type === 'answer') whole = part.answer;
  if (whole !== undefined) return whole;
  throw new ServiceError('internal', 'The chat ended without an answer.');
}
