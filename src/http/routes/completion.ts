import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { collectReply } from '../../models/collect-reply.ts';
import type { ModelEvent, ModelRequest } from '../../models/model.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { type ServerSentEvent, sendEvents, streamOptions } from '../sse.ts';
import { toCompletion } from '../wire/completion.ts';
import { completionRequest } from '../wire/message.ts';
import { deltaEvent, streamId } from '../wire/stream-events.ts';

/** docs/contract.md 5.4: messages to a model, without the corpus. */
export function completionRoutes({ models, limits, log }: Pick<HttpServices, 'models' | 'limits' | 'log'>): Router {
  const router = createRouter();
  router.post('/completion', async (request, response) => {
    const { messages, stream, config } = readBody(request, completionRequest);
    const model = models.resolve(config.model, 'quality');
    const signal = requestSignal(request, response);
    const modelRequest: ModelRequest = { messages, tools: [], config, signal };
    if (stream) {
      await sendEvents(
        response,
        toDeltas(model.stream(modelRequest), config.extendedThinking === true),
        streamOptions(response, signal, { limits, log }),
      );
      return;
    }
    const created = Math.floor(Date.now() / 1000);
    const { text, model: name, snapshot = name, reason, usage } = await collectReply(model, modelRequest);
    const generated = { id: `chatcmpl-${randomUUID()}`, created, model: snapshot, stopReason: reason, usage };
    response.json(single(toCompletion(generated, text)));
  });
  return router;
}

async function* toDeltas(
  events: AsyncIterable<ModelEvent>,
  showsThinking: boolean,
): AsyncGenerator<ServerSentEvent, void> {
  const ids = { text: streamId('msg'), thinking: streamId('think') };
  for await (const event of events) {
    if (event.type === 'text') yield deltaEvent('message', ids.text, event.text);
    if (event.type === 'thinking' && showsThinking) yield deltaEvent('thinking', ids.thinking, event.text);
  }
}
