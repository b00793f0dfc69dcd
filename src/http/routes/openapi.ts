import { fileURLToPath } from 'node:url';
import { type Response, Router } from 'express';
import type { HttpServices } from '../http-services.ts';
import { operationGroups } from '../openapi/operations.ts';
import { type OpenApiDocument, toOpenApi } from '../openapi/to-document.ts';
import { onlyMethods } from '../unknown-route.ts';

const PAGE = fileURLToPath(new URL('../../page/docs', import.meta.url));
const FILES = ['docs.css', 'docs.js', 'elements.js', 'request.js', 'schema-view.js', 'try-form.js'];

/** Nothing but what is served from here, and no script that is not a file of it. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

/**
 * What the service says of itself, for programs (OpenAPI 3.1; at `/openapi_spec` too, r2r-v3.md 12) and as a page for
 * people. Public: it is the same for everybody and tells nothing of what is kept here.
 */
export function openApiRoutes({ status }: Pick<HttpServices, 'status'>): Router {
  let made: Promise<OpenApiDocument> | undefined;
  const describe = (): Promise<OpenApiDocument> => {
    made ??= status().then(({ version }) => toOpenApi({ groups: operationGroups, version }));
    return made;
  };
  const router = Router();
  for (const path of ['/v3/openapi.json', '/openapi_spec']) {
    router
      .route(path)
      .get(async (_request, response) => {
        response.set('Cache-Control', 'no-cache').json(await describe());
      })
      .all(onlyMethods('GET'));
  }
  router
    .route('/docs')
    .get((_request, response) => sendPage(response, 'index.html'))
    .all(onlyMethods('GET'));
  router
    .route(FILES.map((file) => `/docs/${file}`))
    .get((request, response) => sendPage(response, request.path.split('/').at(-1) ?? ''))
    .all(onlyMethods('GET'));
  return router;
}

function sendPage(response: Response, file: string): void {
  response.set({
    'Content-Security-Policy': CONTENT_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  });
  response.sendFile(file, { root: PAGE });
}
