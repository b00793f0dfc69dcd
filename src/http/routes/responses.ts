import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { openAiError } from '../openai-failure.ts';
import { originOf } from '../origin-of.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { encodeEvent, type Framing, sendEvents, streamOptions } from '../sse.ts';
import type { ResponseHead } from '../wire/response-answer.ts';
import { toResponse, toResponseEvents } from '../wire/response-events.ts';
import { responseRequest } from '../wire/response-request.ts';
import { answerChat, type ChatServices } from './answer-chat.ts';

/** Named events without a terminator after the last one. */
const responseFraming: Framing = { encode: encodeEvent, end: '' };

/** OpenAI's Responses API over the documents. The caller keeps the conversation; nothing is stored here. */
export function responseRoutes(services: ChatServices): Router {
  const router = createRouter();
  router.post('/responses', async (request, response) => {
    const call = readBody(request, responseRequest);
    const head: ResponseHead = {
      id: `resp_${randomUUID().replaceAll('-', '')}`,
      created: Math.floor(Date.now() / 1000),
      call,
      origin: originOf(request),
    };
    const signal = requestSignal(request, response);
    const caller = { principal: principalOf(response), formatField: ['text', 'format'], signal };
    const parts = await answerChat(call, services, caller);
    if (!call.stream) {
      response.json(await toResponse(parts, head));
      return;
    }
    const options = streamOptions(response, signal, services);
    await sendEvents(response, toResponseEvents(parts, head, options.errorOf), {
      ...options,
      framing: responseFraming,
      onFailure(thrown) {
        const { code, message, param } = openAiError(options.errorOf(thrown)).error;
        return { event: 'error', data: { type: 'error', code, message, param, sequence_number: 0 } };
      },
    });
  });

  router.all(/^\/responses\/(.+)$/, () => {
    throw new ServiceError('not_found', 'Responses are not stored here: send the whole conversation as input.');
  });
  return router;
}
