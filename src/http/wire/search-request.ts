import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { SearchSettings } from '../../retrieval/search-settings.ts';
import { detailOf, type HitDetail, searchMembers, toSearchSettings } from './search-settings.ts';

export interface SearchRequest {
  readonly query: string;
  readonly settings: SearchSettings;
  readonly detail: HitDetail;
}

/** A question or search text. The contract requires 400, not 422, for an empty one. */
export const query = z.string().transform((text) => {
  if (text.trim() !== '') return text;
  throw new ServiceError('invalid_request', 'The query is empty.');
});

/** docs/contract.md 5.1. */
export const searchRequest = z
  .object({ query, ...searchMembers })
  .meta({ id: 'SearchRequest' })
  .transform(
    (wire): SearchRequest => ({
      query: wire.query,
      settings: toSearchSettings(wire),
      detail: detailOf(wire),
    }),
  );
