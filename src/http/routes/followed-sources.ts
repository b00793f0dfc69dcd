import type { Request, Response, Router } from 'express';
import { requireSuperuser } from '../../access/principal.ts';
import { findCollections, usableCollections } from '../../access/usable-collections.ts';
import { mayChange } from '../../access/visible-filter.ts';
import { ServiceError } from '../../errors.ts';
import { isForSuperusers } from '../../ingest/sources/require-owner-rights.ts';
import type { SourceStatus } from '../../ingest/sources/source-status.ts';
import { sourceKinds } from '../../sources/kinds.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { list, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readQuery } from '../read-request.ts';
import { newSource, toFollowedSource, toSourceKind } from '../wire/followed-source.ts';
import { pageQuery } from '../wire/page-query.ts';
import { sourceChangeAt } from '../wire/source-change.ts';

type Services = Pick<HttpServices, 'followed' | 'collections'>;

/** Number of failed items shown for each source in a list, and for a single source. */
const FAILURES_IN_LIST = 3;
const FAILURES_OF_SOURCE = 100;

/** Addition: followed sources, from which documents are synchronised. Folders and some other kinds need a superuser. */
export function followedSourceRoutes({ followed, collections }: Services): Router {
  const visible = async (response: Response): Promise<readonly SourceStatus[]> => {
    const principal = principalOf(response);
    return (await followed.list()).filter(({ ownerId }) => mayChange({ ownerId }, principal));
  };
  const find = async (request: Request, response: Response): Promise<SourceStatus> => {
    const id = readId(request, 'id');
    const found = (await visible(response)).find((source) => source.id === id);
    if (found === undefined) throw new ServiceError('not_found', `There is no followed source ${id}.`);
    return found;
  };

  const shown = async (source: SourceStatus, response: Response, failures = FAILURES_IN_LIST) =>
    toFollowedSource(source, await followed.failuresOf(source, failures), audienceOf(response));

  const router = createRouter();
  router.get('/', async (request, response) => {
    const { offset, limit } = readQuery(request, pageQuery);
    const all = await visible(response);
    const page = all.slice(offset, offset + limit);
    response.json(list(await Promise.all(page.map((source) => shown(source, response))), all.length));
  });
  router.post('/', async (request, response) => {
    const { collections: wanted, ...source } = readBody(request, newSource);
    const owner = principalOf(response);
    if (isForSuperusers(source.location)) requireSuperuser(owner);
    // Refuses collections of others before the source is tried.
    await findCollections(collections, owner, wanted);
    const collectionIds = () => usableCollections(collections, owner, wanted);
    response.json(single(await shown(await followed.add({ ...source, owner, collectionIds }), response)));
  });
  router.get('/kinds', (_request, response) => {
    const { isSuperuser } = principalOf(response);
    const kinds = sourceKinds.filter(({ isForSuperusers }) => isSuperuser || isForSuperusers !== true);
    response.json(list(kinds.map(toSourceKind), kinds.length));
  });
  router.get('/:id', async (request, response) => {
    response.json(single(await shown(await find(request, response), response, FAILURES_OF_SOURCE)));
  });
  router.patch('/:id', async (request, response) => {
    const { id, location, ownerId } = await find(request, response);
    // The change is tried with the service's own access rights.
    if (isForSuperusers(location)) requireSuperuser(principalOf(response));
    const { change, collections: wanted, isTried } = readBody(request, sourceChangeAt(location));
    const principal = { ...principalOf(response), userId: ownerId };
    if (wanted !== undefined) await findCollections(collections, principal, wanted);
    const collectionIds = wanted && (() => usableCollections(collections, principal, wanted));
    response.json(single(await shown(await followed.change(id, { ...change, collectionIds }, { isTried }), response)));
  });
  router.delete('/:id', async (request, response) => {
    await followed.remove((await find(request, response)).id);
    response.json(single({ success: true }));
  });
  router.post('/:id/sync', async (request, response) => {
    const { id } = await find(request, response);
    response.status(202).json(single(await shown(await followed.sync(id), response)));
  });
  return router;
}
