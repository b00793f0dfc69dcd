import type { Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { invalidField } from '../check-shape.ts';
import { createRouter } from '../create-router.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { embeddingsRequest, toEmbeddingsList } from '../wire/openai-embeddings.ts';

/** Model name that always means the embedder in use. */
const OWN_NAME = 'citewell';

/** OpenAI's Embeddings API with the embedder of the corpus, so that vectors are comparable with those of its chunks. */
export function openAiEmbeddingRoutes({ embeddings }: Pick<HttpServices, 'embeddings'>): Router {
  const router = createRouter();
  router.post('/embeddings', async (request, response) => {
    const { model, texts, encoding, dimensions, kind } = readBody(request, embeddingsRequest);
    const { name } = embeddings;
    if (model !== OWN_NAME && model !== name) {
      throw new ServiceError('unknown_model', `No embedder "${model}" is loaded; name ${name}, or "${OWN_NAME}".`);
    }
    const signal = requestSignal(request, response);
    const vectors = await embeddings.embed(texts, kind, signal, { areChunks: false });
    const length = vectors[0]?.length;
    if (dimensions !== undefined && dimensions !== length) {
      const message = `expected ${length}: vectors of ${name} cannot be shortened`;
      throw invalidField('value_error', ['body', 'dimensions'], message, dimensions);
    }
    response.json(toEmbeddingsList(vectors, { model: name, texts, encoding }));
  });
  return router;
}
