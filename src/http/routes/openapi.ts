import { fileURLToPath } from 'node:url';
import type { Response, Router } from 'express';
import { lazyResult } from '../../shared/lazy-result.ts';
import { createRouter } from '../create-router.ts';
import type { HttpServices } from '../http-services.ts';
import type { OpenApiDocument } from '../openapi/to-document.ts';
import { sendPageFile } from '../send-page.ts';

const PAGE = fileURLToPath(new URL('../../page/docs', import.meta.url));
const FILES = ['docs.css', 'docs.js', 'elements.js', 'request.js', 'schema-view.js', 'try-form.js'];

/**
 * The API documentation: OpenAPI 3.1 for programs (also at `/openapi_spec`, docs/contract.md 12) and a page for people.
 * Public, because it is the same for everyone.
 */
export function openApiRoutes({ status }: Pick<HttpServices, 'status'>): Router {
  const describe = lazyResult(() => makeDocument(status));
  const router = createRouter();
  for (const path of ['/v3/openapi.json', '/openapi_spec']) {
    router.get(path, async (_request, response) => {
      response.set('Cache-Control', 'no-cache').json(await describe());
    });
  }
  router.get('/docs', (_request, response) => sendPage(response, 'index.html'));
  router.get(
    FILES.map((file) => `/docs/${file}`),
    (request, response) => sendPage(response, request.path.split('/').at(-1) ?? ''),
  );
  return router;
}

/** Builds the document on the first request: commands that run a server only for themselves never need it. */
async function makeDocument(status: HttpServices['status']): Promise<OpenApiDocument> {
  const [{ operationGroups }, { toOpenApi }, { version }] = await Promise.all([
    import('../openapi/operations.ts'),
    import('../openapi/to-document.ts'),
    status(),
  ]);
  return toOpenApi({ groups: operationGroups, version });
}

const sendPage = (response: Response, file: string): void =>
  sendPageFile(response, file, { root: PAGE, cacheControl: 'no-cache' });
