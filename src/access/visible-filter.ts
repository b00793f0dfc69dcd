import type { Document } from '../documents/document.ts';
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

/** The same for one record at hand. */
export function isVisible(record: Pick<Document, 'ownerId' | 'collectionIds'>, principal: Principal): boolean {
  return mayChange(record, principal) || record.collectionIds.some((id) => principal.collectionIds.includes(id));
}

/** Only the owner and a superuser change and delete; others who see a record only read it. */
export const mayChange = ({ ownerId }: Pick<Document, 'ownerId'>, principal: Principal): boolean =>
  principal.isSuperuser || ownerId === principal.userId;
