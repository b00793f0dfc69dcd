import { call, RequestFailure } from '../../api/request.ts';
import { type AnswerCheck, applyCheck, checkRequest } from './answer-check.ts';
import type { AnswerState } from './answer-state.ts';

/** The answer with its citations checked by the service; undefined if there is nothing to check. */
export function checkAnswer(answer: AnswerState, asOf: string): Promise<AnswerState> | undefined {
  const body = checkRequest(answer, asOf);
  if (body === undefined) return undefined;
  const apply = async (given: object) =>
    applyCheck(answer, await call<AnswerCheck>('/v3/retrieval/check', { method: 'POST', body: given }));
  return apply(body).catch(async (error: unknown) => {
    if (!(error instanceof RequestFailure) || error.status !== 404) throw error;
    // A single source that is gone fails the whole check.
    const rest = checkRequest(answer, asOf, await remainingDocuments(answer));
    if (rest === undefined) throw error;
    return apply(rest);
  });
}

/** The cited documents that still exist; others may have been deleted since the answer. */
async function remainingDocuments({ sources }: AnswerState): Promise<ReadonlySet<string>> {
  const ids = [...new Set(sources.flatMap(({ documentId }) => documentId ?? []))];
  if (ids.length === 0) return new Set();
  const found = await call<readonly { readonly id: string }[]>('/v3/documents', { query: { ids } });
  return new Set(found.map(({ id }) => id));
}
