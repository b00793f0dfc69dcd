import { type ErrorRequestHandler, Router } from 'express';
import type { Principal } from '../../access/principal.ts';
import { allOf, everything, type Filter } from '../../documents/filter.ts';
import { isUuid } from '../../documents/ids.ts';
import { ServiceError } from '../../errors.ts';
import { defaultSearchSettings } from '../../retrieval/search-settings.ts';
import { visibleTo } from '../../retrieval/visible-to.ts';
import { audienceOf, principalOf } from '../authenticate.ts';
import { comparableScores } from '../comparable-scores.ts';
import { createRouter } from '../create-router.ts';
import { toFailure } from '../failure.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { unknownRoute } from '../unknown-route.ts';
import { conditionsFilter, externalKnowledgeRequest, toKnowledgeRecord } from '../wire/external-knowledge.ts';

const DEFAULT_HITS = 4;

type Services = Pick<HttpServices, 'retriever' | 'collections' | 'log'>;

/** Dify's external knowledge API, which searches the passages of a collection. */
export function externalKnowledgeRoutes({ retriever, collections, log }: Services): Router {
  const collectionFilter = async (idOrName: string, principal: Principal): Promise<Filter> => {
    const { userId, isSuperuser, collectionIds } = principal;
    if (idOrName === 'all') return everything;
    const found = isUuid(idOrName)
      ? await collections.get(idOrName.toLowerCase())
      : await collections.findByName(userId, idOrName);
    // For users who are not members, the collection does not exist.
    if (found === undefined || !(isSuperuser || found.ownerId === userId || collectionIds.includes(found.id))) {
      throw new ServiceError('not_found', `There is no collection ${idOrName}; "all" searches all documents.`);
    }
    return { kind: 'overlap', field: 'collection_ids', values: [found.id] };
  };

  const router = createRouter();
  router.post('/retrieval', async (request, response) => {
    const body = readBody(request, externalKnowledgeRequest);
    const { top_k: limit = DEFAULT_HITS, score_threshold: threshold = 0 } = body.retrieval_setting;
    const principal = principalOf(response);
    const filter = allOf(
      await collectionFilter(body.knowledge_id, principal),
      conditionsFilter(body.metadata_condition),
    );
    const { chunks } = await retriever.search(
      body.query,
      visibleTo(principal, { ...defaultSearchSettings, filter, limit, explain: true }),
      requestSignal(request, response),
    );
    const scores = comparableScores(chunks);
    const records = chunks.map((chunk, index) => toKnowledgeRecord(chunk, scores[index] ?? 0));
    response.json({ records: records.filter(({ score }) => score >= threshold) });
  });

  /** Dify shows `error_msg`, and recognises a missing knowledge base by its error code. */
  const answerInDifysFormat: ErrorRequestHandler = (thrown, _request, response, next) => {
    const { status, error, isExpected } = toFailure(thrown, audienceOf(response));
    if (response.headersSent || response.destroyed || !isExpected || status === 401) return next(thrown);
    if (status >= 500) log.warn({ err: thrown }, error.message);
    const code = error.code === 'not_found' ? 2001 : status;
    response.status(status).json({ error_code: code, error_msg: error.message });
  };
  return Router().use(router, unknownRoute, answerInDifysFormat);
}
