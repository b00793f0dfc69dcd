import { ChromaQuotaExceededError } from 'chromadb';

/** What a Chroma server allows; `Infinity` where it sets no limit. */
export interface ChromaQuotas {
  /** Results of a query, and records read in one call. */
  readonly results: number;
  /** Records written or removed in one call. */
  readonly records: number;
  /** Concurrent reads of a collection, and as many concurrent writes. */
  readonly calls: number;
  /** Predicates of a where clause. */
  readonly predicates: number;
}

export const noQuotas: ChromaQuotas = {
  results: Number.POSITIVE_INFINITY,
  records: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  predicates: Number.POSITIVE_INFINITY,
};

/** Defaults of Chroma Cloud (https://docs.trychroma.com/cloud/quotas-limits); they can be raised on request. */
const cloudQuotas: ChromaQuotas = { results: 300, records: 300, calls: 10, predicates: 8 };

/** The quotas of the server at this address as far as they are known before it is asked. */
export const usualQuotas = (url: string): ChromaQuotas => (isChromaCloud(url) ? cloudQuotas : noQuotas);

const isChromaCloud = (url: string): boolean => /(?:^|\.)trychroma\.com$/i.test(new URL(url).hostname);

/** E.g. `300 results, 300 records a call, 10 calls at a time`; empty without any. */
export function describeQuotas({ results, records, calls }: ChromaQuotas): string {
  const named = [
    [results, 'results'],
    [records, 'records a call'],
    [calls, 'calls at a time'],
  ] as const;
  return named.flatMap(([limit, what]) => (Number.isFinite(limit) ? `${limit} ${what}` : [])).join(', ');
}

const REFUSAL = /'([^']+)' exceeded quota limit for action '[^']+': current usage of \d+ exceeds limit of (\d+)/;

const QUOTA_BY_NAME: Readonly<Record<string, keyof ChromaQuotas>> = {
  'Number of records': 'records',
  'Number of IDs to filter by in a query': 'records',
  'Limit value': 'results',
  'Number of results': 'results',
  'Number of where clause predicates': 'predicates',
};

/** The quota that a refused call exceeded, and its limit, when smaller calls keep to it. */
export function readRefusal(error: unknown): Partial<ChromaQuotas> | undefined {
  if (!(error instanceof ChromaQuotaExceededError)) return undefined;
  const [, name = '', limit = ''] = REFUSAL.exec(error.message) ?? [];
  const quota = QUOTA_BY_NAME[name];
  return quota === undefined || Number(limit) < 1 ? undefined : { [quota]: Number(limit) };
}
