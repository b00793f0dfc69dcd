import { everything, type Filter } from '../documents/filter.ts';
import type { Principal } from './principal.ts';

/** The part of the corpus a principal may see: what is theirs and what is in their collections; a superuser sees all. */
export function visibleFilter(principal: Principal): Filter {
  if (principal.isSuperuser) return everything;
  return {
    kind: 'or',
    filters: [
      { kind: 'compare', field: 'owner_id', op: 'eq', value: principal.userId },
      { kind: 'overlap', field: 'collection_ids', values: principal.collectionIds },
    ],
  };
}
