import type { RequestHandler, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { describeUser, describeUsers } from '../describe-user.ts';
import { list, page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readPage, readQuery } from '../read-request.ts';
import { eachOf, sendExport } from '../send-csv.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toCollectionRecord } from '../wire/collection-record.ts';
import { userColumns } from '../wire/export-columns.ts';
import { toLimitsRecord } from '../wire/limits-record.ts';
import { idsQuery } from '../wire/query.ts';
import { newCode, passwordChange, removal, userChange } from '../wire/user-record.ts';

/** docs/contract.md 10, with credentials. Registration and login are in `sign-in.ts`, keys in `user-keys.ts`. */
export function userRoutes(services: Pick<HttpServices, 'accounts' | 'collections' | 'corpus'>): Router {
  const { accounts, collections } = services;
  const { users, memberships } = accounts;
  const router = createRouter();

  router
    .route('/')
    .get(async (request, response) => {
      const { items, total } = await users.list(principalOf(response), readQuery(request, idsQuery));
      response.json(list(await describeUsers(items, services), total));
    })
    .all(onlyMethods('GET', 'POST'));

  router.get('/me', async (_request, response) => {
    const by = principalOf(response);
    response.json(single(await describeUser(await users.get(by, by.userId), services)));
  });

  router.post('/change-password', async (request, response) => {
    const { current_password: current, new_password: password, revoke_api_keys } = readBody(request, passwordChange);
    const next = { password, revokesKeys: revoke_api_keys === true };
    const keys = await users.changePassword(principalOf(response), current, next);
    response.json(single({ message: 'Password changed successfully', api_keys: keys }));
  });

  router.post('/export', async (request, response) => {
    const by = principalOf(response);
    if (!by.isSuperuser) throw new ServiceError('forbidden', 'Only superusers may export users.');
    const rows = async function* () {
      for await (const user of eachOf((each) => users.list(by, { ids: [], ...each }))) {
        yield { ...user, collectionIds: await collections.idsOfMember(user.id) };
      }
    };
    await sendExport(request, response, { name: 'users', columns: userColumns, rows });
  });

  for (const provider of ['google', 'github']) {
    for (const step of ['authorize', 'callback']) router.all(`/oauth/${provider}/${step}`, noProvider(provider));
  }

  router.get('/:id', async (request, response) => {
    const user = await users.get(principalOf(response), readId(request, 'id'));
    response.json(single(await describeUser(user, services)));
  });

  router.post('/:id', async (request, response) => {
    const user = await users.update(principalOf(response), readId(request, 'id'), readBody(request, userChange));
    response.json(single(await describeUser(user, services)));
  });

  router.delete('/:id', async (request, response) => {
    const { password } = readBody(request, removal);
    const { documents, chunks } = await users.remove(principalOf(response), readId(request, 'id'), password);
    response.json(single({ success: true, documents, chunks }));
  });

  router.get('/:id/limits', async (request, response) => {
    const user = await users.get(principalOf(response), readId(request, 'id'));
    response.json(single(await toLimitsRecord(user, accounts)));
  });

  // Addition: no e-mails are sent, so a superuser creates the code that an e-mail would contain.
  router.post('/:id/codes', async (request, response) => {
    const { purpose } = readBody(request, newCode);
    const code = await users.createCode(principalOf(response), readId(request, 'id'), purpose);
    response.set('Cache-Control', 'no-store').json(single({ code, purpose }));
  });

  router.get('/:id/collections', async (request, response) => {
    const found = await memberships.collectionsOf(principalOf(response), readId(request, 'id'), readPage(request));
    response.json(page(found, toCollectionRecord));
  });

  router.post('/:id/collections/:collectionId', async (request, response) => {
    await memberships.add(principalOf(response), readId(request, 'collectionId'), readId(request, 'id'));
    response.json(single({ success: true }));
  });

  router.delete('/:id/collections/:collectionId', async (request, response) => {
    await memberships.remove(principalOf(response), readId(request, 'collectionId'), readId(request, 'id'));
    response.json(single({ success: true }));
  });

  return router;
}

function noProvider(provider: string): RequestHandler {
  return () => {
    throw new ServiceError(
      'not_configured',
      `Login with ${provider} is not supported. Use a password, or let an OpenID provider issue access tokens for ` +
        'this server and set CITEWELL_OAUTH_ISSUER.',
    );
  };
}
