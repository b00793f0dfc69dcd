import { randomUUID } from 'node:crypto';
import type { Request, Response, Router } from 'express';
import { visibleFilter } from '../../access/visible-filter.ts';
import { plainRequest } from '../../agent/plain-request.ts';
import { allOf } from '../../documents/filter.ts';
import { ServiceError } from '../../errors.ts';
import { EXTRACTIVE_MODEL } from '../../models/default-models.ts';
import { principalOf } from '../authenticate.ts';
import { invalidField } from '../check-shape.ts';
import { createRouter } from '../create-router.ts';
import { toFailure } from '../failure.ts';
import type { HttpServices } from '../http-services.ts';
import { openAiError } from '../openai-failure.ts';
import { originOf } from '../origin-of.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { dataOnlyFraming, sendEvents, streamOptions } from '../sse.ts';
import {
  type ChatAnswer,
  type ChatPart,
  fromAgent,
  fromRag,
  toChatChunks,
  toChatCompletion,
} from '../wire/chat-answer.ts';
import { chatModelNames } from '../wire/chat-model.ts';
import { type ChatCall, chatRequest } from '../wire/chat-request.ts';

type ChatServices = Pick<HttpServices, 'agent' | 'answerer' | 'limits' | 'log' | 'models'>;
type ModelServices = Pick<HttpServices, 'modelChoices'>;

/**
 * OpenAI's Chat Completions over the documents, for front ends that speak only this interface. The caller keeps the
 * conversation; nothing is stored here.
 */
export function chatRoutes(services: ChatServices & ModelServices): Router {
  const router = createRouter();
  router.post('/chat/completions', async (request, response) => {
    const call = readBody(request, chatRequest);
    const named = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(Date.now() / 1000),
      model: call.model.name,
      origin: originOf(request),
    };
    const signal = requestSignal(request, response);
    const parts = await answer(call, services, response, signal);
    if (!call.stream) {
      response.json(toChatCompletion(await collect(parts), named));
      return;
    }
    const options = streamOptions(signal, services.limits, services.log);
    await sendEvents(response, toChatChunks(parts, named, call.wantsUsage), {
      ...options,
      framing: dataOnlyFraming,
      onFailure(thrown) {
        const { error, isExpected } = toFailure(signal.aborted ? signal.reason : thrown);
        if (!isExpected) services.log.error({ err: thrown }, 'A stream failed unexpectedly.');
        return { event: 'error', data: openAiError(error) };
      },
    });
  });

  // Only an administrator's request looks for models on this machine.
  const foundModels = async (response: Response) =>
    principalOf(response).isSuperuser ? (await services.modelChoices()).found.filter(({ isUsable }) => isUsable) : [];
  router.get('/models', async (_request, response) => {
    const found = (await foundModels(response)).map(({ name, server, settings }) => ({
      ...toModel(name),
      owned_by: server.name,
      setting: settings.join(' '),
    }));
    response.json({ object: 'list', data: [...chatModelNames.map(toModel), ...found] });
  });

  router.get(/^\/models\/(.+)$/, (request: Request, response) => {
    const [name = ''] = Object.values(request.params).flat();
    const found = chatModelNames.find((each) => each === name);
    if (found === undefined)
      throw new ServiceError('not_found', `There is no model ${name}; GET /v1/models lists them.`);
    response.json(toModel(found));
  });
  return router;
}

async function answer(
  call: ChatCall,
  { agent, answerer, models }: ChatServices,
  response: Response,
  signal: AbortSignal,
): Promise<AsyncIterable<ChatPart>> {
  const principal = principalOf(response);
  const search = { ...call.search, filter: allOf(visibleFilter(principal), call.search.filter) };
  const { generation, question, earlier } = call;
  if (
    generation.responseFormat !== undefined &&
    models.resolve(generation.model, 'quality').name === EXTRACTIVE_MODEL
  ) {
    const message = 'needs a language model, and answers here are quotations; leave it out, or name a model';
    throw invalidField('value_error', ['body', 'response_format'], message);
  }
  if (call.model.kind === 'rag') {
    return fromRag(answerer.answer({ query: question, earlier, search, generation, includeTitle: true }, signal));
  }
  const prepared = await agent.prepare({
    ...plainRequest(principal, question),
    mode: call.model.kind === 'research' ? 'research' : 'rag',
    earlier,
    search,
    generation,
    name: false,
  });
  return fromAgent(prepared.events(signal));
}

async function collect(parts: AsyncIterable<ChatPart>): Promise<ChatAnswer> {
  let whole: ChatAnswer | undefined;
  for await (const part of parts) if (part.type === 'answer') whole = part.answer;
  if (whole !== undefined) return whole;
  throw new ServiceError('internal', 'The chat ended without an answer.');
}

const toModel = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'citewell' });
