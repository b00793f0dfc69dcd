import type { Document } from '../documents/document.ts';
import { everything, type Filter, ownedBy } from '../documents/filter.ts';
import type { Principal } from './principal.ts';

/** Filter for what a principal may see: own documents and those of their collections; superusers see all. */
export function visibleFilter(principal: Principal): Filter {
  if (principal.isSuperuser) return everything;
  return {
    kind: 'or',
    filters: [ownedBy(principal.userId), { kind: 'overlap', field: 'collection_ids', values: principal.collectionIds }],
  };
}

/** Whether a record matches `visibleFilter`. */
export function isVisible(record: Pick<Document, 'ownerId' | 'collectionIds'>, principal: Principal): boolean {
  return mayChange(record, principal) || record.collectionIds.some((id) => principal.collectionIds.includes(id));
}

/** Only the owner and superusers may change and delete; others have read access. */
export const mayChange = ({ ownerId }: Pick<Document, 'ownerId'>, principal: Principal): boolean =>
  principal.isSuperuser || ownerId === principal.userId;
