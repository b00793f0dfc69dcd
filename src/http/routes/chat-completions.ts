import { randomUUID } from 'node:crypto';
import type { Request, Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import type { HttpServices } from '../http-services.ts';
import { openAiError } from '../openai-failure.ts';
import { originOf } from '../origin-of.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { dataOnlyFraming, sendEvents, streamOptions } from '../sse.ts';
import { toChatChunks, toChatCompletion } from '../wire/chat-answer.ts';
import { chatModelNames } from '../wire/chat-model.ts';
import { chatRequest } from '../wire/chat-request.ts';
import { answerChat, type ChatServices, wholeAnswer } from './answer-chat.ts';

type ModelServices = Pick<HttpServices, 'modelChoices' | 'embeddings'>;

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
    const caller = { principal: principalOf(response), formatField: ['response_format'], signal };
    const parts = await answerChat(call, services, caller);
    if (!call.stream) {
      response.json(toChatCompletion(await wholeAnswer(parts), named));
      return;
    }
    const options = streamOptions(response, signal, services);
    await sendEvents(response, toChatChunks(parts, named, call.wantsUsage), {
      ...options,
      framing: dataOnlyFraming,
      onFailure: (thrown) => ({ event: 'error', data: openAiError(options.errorOf(thrown)) }),
    });
  });

  // Models on this machine are only probed for superusers.
  const foundModels = async (response: Response) => {
    if (!principalOf(response).isSuperuser) return [];
    const { found } = await services.modelChoices();
    return found
      .filter(({ isUsable }) => isUsable)
      .map(({ name, server, settings }) => ({
        ...toModel(name),
        owned_by: server.name,
        setting: settings.join(' '),
      }));
  };
  const ownModels = () => [
    ...chatModelNames.map(toModel),
    { ...toModel(services.embeddings.name), type: 'embeddings' },
  ];
  router.get('/models', async (_request, response) => {
    response.json({ object: 'list', data: [...ownModels(), ...(await foundModels(response))] });
  });

  router.get(/^\/models\/(.+)$/, async (request: Request, response) => {
    const [name = ''] = Object.values(request.params).flat();
    const isNamed = ({ id }: { readonly id: string }) => id === name;
    const found = ownModels().find(isNamed) ?? (await foundModels(response)).find(isNamed);
    if (found === undefined)
      throw new ServiceError('not_found', `There is no model ${name}; GET /v1/models lists them.`);
    response.json(found);
  });
  return router;
}

const toModel = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'citewell' });
