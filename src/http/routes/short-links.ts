import { Router } from 'express';
import type { Authenticate } from '../../access/credentials.ts';
import { visibleFilter } from '../../access/visible-filter.ts';
import { sourceAddress } from '../../citations/source-address.ts';
import { ServiceError } from '../../errors.ts';
import { resolveChunk } from '../../toolbox/find-chunk.ts';
import { findDocument } from '../../toolbox/find-document.ts';
import { identify, principalOf } from '../authenticate.ts';
import type { HttpServices } from '../http-services.ts';

/** A short id from a tool result: `1f0c9a2b`, or `1f0c9a2b:12` for a chunk. */
const SHORT_ID = /^[0-9a-f]{8}(?::\d{1,7})?$/;

/**
 * Redirects `/d/1f0c9a2b:12`, which an assistant can build from a result, to the document's view with the chunk marked.
 * Other paths, and callers who may not see the document, fall through to the page.
 */
export function shortLinks({ corpus: library }: Pick<HttpServices, 'corpus'>, authenticate: Authenticate): Router {
  const router = Router();
  const identified = identify(authenticate);
  router.get('/d/:document', async (request, response, next) => {
    const { document: given } = request.params;
    if (!SHORT_ID.test(given)) return next();
    try {
      await identified(request, response, () => {});
      const visible = visibleFilter(principalOf(response));
      const found = given.includes(':') ? await resolveChunk(given, { library, visible }) : undefined;
      const { id } = found?.document ?? (await findDocument(given, { library, visible }));
      response.set('Cache-Control', 'no-store');
      response.redirect(sourceAddress(id, found && { quotes: [found.chunk] }));
    } catch (failure) {
      // The page asks the user to sign in and then follows the link again.
      next(failure instanceof ServiceError ? undefined : failure);
    }
  });
  return router;
}
