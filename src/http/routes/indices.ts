import type { Router } from 'express';
import { ServiceError } from '../../errors.ts';
import type { VectorSpace } from '../../store/vector-spaces.ts';
import { onlySuperusers } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { list, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readPage } from '../read-request.ts';
import { newIndex, toIndexRecord } from '../wire/index-record.ts';

/**
 * docs/contract.md 14, for superusers: the vector indexes, one for each embedder of the corpus. The service creates
 * them itself; a request to create one compares the index in use with the records and repairs it.
 */
export function indexRoutes({
  spaces,
  maintenance,
  log,
}: Pick<HttpServices, 'spaces' | 'maintenance' | 'log'>): Router {
  const router = createRouter();
  router.use(onlySuperusers);

  /** Accepts both orders of names: R2R has the table name first, its client the index name (docs/contract.md 1.1). */
  const find = async (...names: readonly string[]): Promise<VectorSpace> => {
    const found = (await spaces.list()).find(({ collection }) => names.includes(collection));
    if (found !== undefined) return found;
    throw new ServiceError('not_found', `Index ${names.join('/')} not found.`);
  };

  router.get('/', async (request, response) => {
    const { offset, limit } = readPage(request);
    const all = await spaces.list();
    const shown = all.slice(offset, offset + limit).map((space) => toIndexRecord(space, maintenance.state()));
    response.json({ ...list([], all.length), results: { indices: shown } });
  });

  router.post('/', async (request, response) => {
    const { isAwaited } = readBody(request, newIndex);
    const [current] = (await spaces.list()).filter(({ state }) => state === 'current');
    const audit = maintenance.audit();
    if (isAwaited) await audit;
    else audit.catch((error: unknown) => log.warn({ err: error }, 'The vector index could not be checked.'));
    const done = isAwaited ? 'was compared with the records and is up to date' : 'is being compared with the records';
    response.json(single({ message: `The index ${current?.collection ?? 'of the corpus'} ${done}.` }));
  });

  router.get('/:one/:other', async (request, response) => {
    const { one, other } = request.params;
    response.json(single(toIndexRecord(await find(one, other), maintenance.state())));
  });

  router.delete('/:one/:other', async (request) => {
    const { one, other } = request.params;
    const { collection, state } = await find(one, other);
    const reason =
      state === 'current'
        ? 'searches are answered from it'
        : 'it is kept for returning to it, and deleted with the next reindex';
    throw new ServiceError('conflict', `The index ${collection} cannot be deleted: ${reason}.`);
  });

  return router;
}
