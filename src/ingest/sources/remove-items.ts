import type { SourceItem } from '../../store/followed-sources.ts';
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
    for (const item of page) yield* removeItem(item, parts);
    after = page.at(-1)?.key;
    if (page.length < PAGE) return;
  }
}

/** Removes the document of an item that is gone, unless it is kept. */
export async function* removeItem(item: SourceItem, parts: PassParts): AsyncGenerator<RemoteStep, void> {
  const { id, records, target, keepDeleted } = parts;
  // Another source of the owner may list the same URI: a page moved there, or the sources' folders overlap.
  const isKept = keepDeleted || (await records.isOfOthers(id, item.uri));
  const document = isKept ? undefined : await target.documentOf(item.uri);
  if (document !== undefined) {
    await target.deleteDocuments([document.id]);
    yield { outcome: 'removed', name: item.key, documentId: document.id };
  }
  await records.removeItems(id, [item.key]);
  if (document !== undefined) await parts.release(document.id);
}
