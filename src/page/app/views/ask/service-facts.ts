import { call, callList, RequestFailure } from '../../api/request.ts';

/** Facts about the service needed before the first question. */
export interface ServiceFacts {
  /** For administrators only. */
  readonly model?: string;
  readonly hasDocuments: boolean;
}

export async function loadServiceFacts(signal: AbortSignal): Promise<ServiceFacts> {
  const [documents, model] = await Promise.all([
    callList('/v3/documents', { query: { limit: 1 }, signal }),
    call<{ readonly citewell: { readonly model: string } }>('/v3/system/status', { signal }).then(
      ({ citewell }) => citewell.model,
      (error: unknown) => {
        if (error instanceof RequestFailure && error.status === 403) return undefined;
        throw error;
      },
    ),
  ]);
  return { hasDocuments: documents.total > 0, ...(model !== undefined && { model }) };
}
