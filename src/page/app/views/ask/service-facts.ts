import { call, callList } from '../../api/request.ts';

/** Facts about the service needed before the first question. */
export interface ServiceFacts {
  /** The model that answers by default. */
  readonly model: string;
  /** Number of documents. */
  readonly documents: number;
}

export async function loadServiceFacts(signal: AbortSignal): Promise<ServiceFacts> {
  const [documents, { model }] = await Promise.all([
    callList('/v3/documents', { query: { limit: 1 }, signal }),
    call<{ readonly model: string }>('/v3/health', { signal }),
  ]);
  return { documents: documents.total, model };
}
