import type { Router } from 'express';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readPage } from '../read-request.ts';
import { defined } from '../wire/tolerant.ts';
import { newKey, toKeyRecord, toNewKeyRecord } from '../wire/user-record.ts';

/** API keys of a user, docs/contract.md 10. */
export function userKeyRoutes({ accounts }: Pick<HttpServices, 'accounts'>): Router {
  const { users } = accounts;
  const router = createRouter();

  router.post('/:id/api-keys', async (request, response) => {
    const wanted = defined(readBody(request, newKey));
    const key = await users.createKey(principalOf(response), readId(request, 'id'), wanted);
    response.set('Cache-Control', 'no-store').json(single(toNewKeyRecord(key)));
  });

  router.get('/:id/api-keys', async (request, response) => {
    const keys = await users.keys(principalOf(response), readId(request, 'id'), readPage(request));
    response.json(page(keys, toKeyRecord));
  });

  router.delete('/:id/api-keys/:keyId', async (request, response) => {
    await users.removeKey(principalOf(response), readId(request, 'id'), readId(request, 'keyId'));
    response.json(single({ success: true }));
  });

  return router;
}
