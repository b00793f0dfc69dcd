import { ServiceError } from '../errors.ts';
import type { Principal } from './principal.ts';
import type { SharedCollections, UnchangedDocument } from './shared-collections.ts';

export interface DocumentChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface ChangedDocuments {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: readonly UnchangedDocument[];
}

interface Place {
  readonly by: Principal;
  readonly id: string;
  readonly signal: AbortSignal;
}

/**
 * Documents per transaction. Every transaction waits for the disk, which takes longer than the change of one document; but
 * other writes wait for the whole transaction, at most about 100 ms if the documents' graphs are merged in it.
 */
const BATCH = 100;

/**
 * Adds documents to a collection and removes others, in batches; those that cannot be are reported. An interruption leaves
 * whole batches. Throws as `SharedCollections` does when the caller may not add to the collection at all.
 */
export async function changeCollectionDocuments(
  shared: Pick<SharedCollections, 'get' | 'require' | 'addDocuments' | 'removeDocuments'>,
  { by, id, signal }: Place,
  { add, remove }: DocumentChanges,
): Promise<ChangedDocuments> {
  await (add.length > 0 ? shared.require(by, id) : shared.get(by, id));
  const unchanged: UnchangedDocument[] = [];
  const count = async (
    documentIds: readonly string[],
    change: (batch: readonly string[]) => Promise<readonly UnchangedDocument[]>,
  ): Promise<number> => {
    const ids = [...new Set(documentIds)];
    let done = 0;
    for (let start = 0; start < ids.length; start += BATCH) {
      signal.throwIfAborted();
      const batch = ids.slice(start, start + BATCH);
      const left = await change(batch);
      unchanged.push(...left);
      done += batch.length - left.length;
    }
    return done;
  };
  const added = await count(add, (batch) => shared.addDocuments(by, id, batch));
  const removed = await count(remove, (batch) => shared.removeDocuments(by, id, batch));
  return { added, removed, unchanged };
}

/** The same for one document; throws the reason if it cannot be added or removed. */
export async function changeCollectionDocument(
  shared: Pick<SharedCollections, 'addDocuments' | 'removeDocuments'>,
  { by, id }: Pick<Place, 'by' | 'id'>,
  change: { readonly add: string } | { readonly remove: string },
): Promise<void> {
  const [refusal] =
    'add' in change
      ? await shared.addDocuments(by, id, [change.add])
      : await shared.removeDocuments(by, id, [change.remove]);
  if (refusal !== undefined) throw new ServiceError(refusal.code, refusal.message);
}
