import { z } from 'zod';
import { readFilter } from '../../documents/read-filter.ts';
import { ServiceError } from '../../errors.ts';
import { parseJson } from '../read-request.ts';
import { filterRecord } from './search-settings.ts';

/**
 * The body of a deletion by filter: the filter, or a string with its JSON as R2R expects (docs/contract.md 1.1). A
 * filter that matches every document is refused, so that a mistake cannot empty the corpus.
 */
export const deletionFilter = z
  .preprocess((value) => (typeof value === 'string' ? parseJson(value, ['body']) : value), filterRecord)
  .transform((wire) => {
    const filter = readFilter(wire);
    if (filter.kind !== 'all') return filter;
    throw new ServiceError(
      'invalid_request',
      'This filter would delete every document. Name at least one condition, e.g. {"document_id": {"$in": ["…"]}}.',
    );
  });
