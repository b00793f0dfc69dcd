import { ServiceError } from '../errors.ts';
import type { Principal } from './principal.ts';
import type { SharedCollections } from './shared-collections.ts';

export interface DocumentChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** A document that was neither added nor removed, with the reason. */
export interface UnchangedDocument {
  readonly documentId: string;
  readonly code: 'not_found' | 'forbidden' | 'conflict';
  readonly message: string;
}

export interface ChangedDocuments {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: readonly UnchangedDocument[];
}

/**
 * Adds documents to a collection and removes others, one after another; those that cannot be are reported. Throws as
 * `SharedCollections` does when the caller may not add to the collection at all.
 */
export async function changeCollectionDocuments(
  shared: Pick<SharedCollections, 'get' | 'require' | 'addDocument' | 'removeDocument'>,
  { by, id, signal }: { readonly by: Principal; readonly id: string; readonly signal: AbortSignal },
  { add, remove }: DocumentChanges,
): Promise<ChangedDocuments> {
  await (add.length > 0 ? shared.require(by, id) : shared.get(by, id));
  const unchanged: UnchangedDocument[] = [];
  const count = async (ids: readonly string[], change: (documentId: string) => Promise<void>): Promise<number> => {
    let done = 0;
    for (const documentId of new Set(ids)) {
      signal.throwIfAborted();
      try {
        await change(documentId);
        done++;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { code, message } = error;
        if (code !== 'not_found' && code !== 'forbidden' && code !== 'conflict') throw error;
        unchanged.push({ documentId, code, message });
      }
    }
    return done;
  };
  const added = await count(add, (documentId) => shared.addDocument(by, id, documentId));
  const removed = await count(remove, (documentId) => shared.removeDocument(by, id, documentId));
  return { added, removed, unchanged };
}
