import type { Request, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { invalidField } from '../check-shape.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { bodyText } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';

/** docs/contract.md 5.4b. */
export function embeddingRoutes({ embeddings }: Pick<HttpServices, 'embeddings'>): Router {
  const router = createRouter();
  router.post('/embedding', async (request, response) => {
    const { text, model } = readEmbeddingRequest(request);
    if (model !== undefined && model !== embeddings.name) {
      throw new ServiceError(
        'unknown_model',
        `No embedder "${model}" is loaded; this service embeds with ${embeddings.name}.`,
      );
    }
    const signal = requestSignal(request, response);
    const [vector] = await embeddings.embed([text], 'passage', signal, { areChunks: false });
    if (vector === undefined) throw new ServiceError('provider_failed', `${embeddings.name} returned no vector.`);
    response.json(single(Array.from(vector)));
  });
  return router;
}

/**
 * docs/contract.md D11: an object with a `text`, or the text itself as a JSON string or as it is. A text may happen to
 * be JSON of another shape, so any other body counts as the text.
 */
function readEmbeddingRequest(request: Request): { readonly text: string; readonly model?: string } {
  const body = bodyText(request);
  const found = textIn(body);
  if (body.trim() === '') throw invalidField('missing', ['body', 'text'], 'Field required');
  if (found.text.trim() === '') throw new ServiceError('invalid_request', 'The text to embed is empty.');
  return found;
}

function textIn(body: string): { readonly text: string; readonly model?: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { text: body };
  }
  if (typeof value === 'string') return { text: value };
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string') {
    return { text: body };
  }
  return { text: value.text, ...('model' in value && typeof value.model === 'string' ? { model: value.model } : {}) };
}
