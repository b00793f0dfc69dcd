import { allOf, everything, type Filter, ownedBy } from '../documents/filter.ts';
import type { Corpus, DeletionReceipt } from '../store/corpus.ts';
import type { Principal } from './principal.ts';
import { mayChange, visibleFilter } from './visible-filter.ts';

/** A document that was not deleted, with the reason. */
export interface Undeleted {
  readonly documentId: string;
  readonly code: 'not_found' | 'forbidden';
  readonly message: string;
}

export interface ListDeletion {
  readonly receipt: DeletionReceipt;
  readonly undeleted: readonly Undeleted[];
}

/** Deletes those of the listed documents that the principal may change, and verifies their removal together. */
export async function deleteDocuments(
  corpus: Pick<Corpus, 'list' | 'remove'>,
  documentIds: readonly string[],
  principal: Principal,
): Promise<ListDeletion> {
  const ids = [...new Set(documentIds)];
  const visible = await corpus.list(allOf(visibleFilter(principal), areListed(ids)), { offset: 0, limit: ids.length });
  const visibleIds = new Set(visible.items.map(({ id }) => id));
  const changeable = new Set(visible.items.filter((document) => mayChange(document, principal)).map(({ id }) => id));
  // The owner is a condition of the deletion too, because a document may have got another one since it was read.
  const own = principal.isSuperuser ? everything : ownedBy(principal.userId);
  const receipt = await corpus.remove(allOf(areListed([...changeable]), own));
  const undeleted = ids
    .filter((id) => !changeable.has(id))
    .map(
      (documentId): Undeleted =>
        visibleIds.has(documentId)
          ? { documentId, code: 'forbidden', message: 'Only its owner may delete this document.' }
          : { documentId, code: 'not_found', message: 'There is no such document.' },
    );
  return { receipt, undeleted };
}

const areListed = (values: readonly string[]): Filter => ({ kind: 'in', field: 'document_id', values });
