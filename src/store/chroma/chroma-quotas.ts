import { isChromaError } from './chroma-error.ts';

/** Limits of a Chroma server; `Infinity` means none. */
export interface ChromaQuotas {
  /** Maximum results of a query, and records read in one call. */
  readonly results: number;
  /** Maximum records written or removed in one call. */
  readonly records: number;
  /** Maximum concurrent reads of a collection, and separately the maximum concurrent writes. */
  readonly calls: number;
  /** Maximum predicates in a where clause. */
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

/** The known default quotas of the server at this URL. */
export const usualQuotas = (url: string): ChromaQuotas => (isChromaCloud(url) ? cloudQuotas : noQuotas);

const isChromaCloud = (url: string): boolean => /(?:^|\.)trychroma\.com$/i.test(new URL(url).hostname);

/** E.g. `300 results, 300 records a call, 10 calls at a time`; empty if there are no limits. */
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

/** The quota that a rejected call exceeded, and its limit; undefined if smaller calls would not help. */
export function readRefusal(error: unknown): Partial<ChromaQuotas> | undefined {
  if (!isChromaError(error, 'ChromaQuotaExceededError')) return undefined;
  const [, name = '', limit = ''] = REFUSAL.exec(error.message) ?? [];
  const quota = QUOTA_BY_NAME[name];
  return quota === undefined || Number(limit) < 1 ? undefined : { [quota]: Number(limit) };
}
