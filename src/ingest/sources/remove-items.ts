import type { SourceItem } from '../../store/followed-sources.ts';
import { DELETED_TOGETHER } from '../folders/folder-target.ts';
import type { PassParts, RemoteStep } from './sync-parts.ts';

const PAGE = 200;

/** Removes the documents of items that a complete listing did not name. */
export async function* removeUnseen(listed: number, parts: PassParts): AsyncGenerator<RemoteStep, void> {
  const { id, pass, records, signal } = parts;
  if (listed === 0) {
    if (!(await records.hasItems(id))) return;
    yield {
      outcome: 'kept',
      name: id,
      documentId: null,
      reason: 'The listing is empty, possibly because access was restricted; no documents were removed.',
    };
    return;
  }
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await records.unseen(id, pass, { limit: PAGE, ...(after !== undefined && { after }) });
    yield* removeItems(page, parts);
    after = page.at(-1)?.key;
    if (page.length < PAGE) return;
  }
}

/** Removes the documents of items that are gone, in lists, unless they are kept. */
export async function* removeItems(items: readonly SourceItem[], parts: PassParts): AsyncGenerator<RemoteStep, void> {
  const { id, records, target, signal } = parts;
  for (let from = 0; from < items.length; from += DELETED_TOGETHER) {
    signal.throwIfAborted();
    const batch = items.slice(from, from + DELETED_TOGETHER);
    const keyOf = new Map<string, string>();
    for (const item of batch) {
      const document = await documentToRemove(item, parts);
      // Two items at the same address have one document.
      if (document !== undefined && !keyOf.has(document.id)) keyOf.set(document.id, item.key);
    }
    if (keyOf.size > 0) await target.deleteDocuments([...keyOf.keys()]);
    for (const [documentId, key] of keyOf) yield { outcome: 'removed', name: key, documentId };
    await records.removeItems(
      id,
      batch.map(({ key }) => key),
    );
    for (const documentId of keyOf.keys()) await parts.release(documentId);
  }
}

async function documentToRemove({ uri }: SourceItem, { id, records, target, keepDeleted }: PassParts) {
  // Another source of the owner may list the same URI: a page moved there, or the sources' folders overlap.
  const isKept = keepDeleted || (await records.isOfOthers(id, uri));
  return isKept ? undefined : target.documentOf(uri);
}
