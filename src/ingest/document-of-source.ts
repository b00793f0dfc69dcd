import type { Document } from '../documents/document.ts';
import { documentId, newId } from '../documents/ids.ts';
import type { Corpus } from '../store/corpus.ts';
import type { SourceRecords } from '../store/source-records.ts';

/**
 * The document of a source, and the identifier a new document would get. The identifier is usually derived from the
 * source; but a document that was moved keeps its own, and a new document at its old source then needs another one.
 */
export async function documentOfSource(
  source: string,
  ownerId: string,
  { corpus, sources }: { readonly corpus: Pick<Corpus, 'get'>; readonly sources: Pick<SourceRecords, 'find'> },
): Promise<{ readonly id: string; readonly before: Document | undefined }> {
  const there = await sources.find(ownerId, source);
  if (there !== undefined) return { id: there.id, before: there };
  const id = documentId(source, ownerId);
  const before = await corpus.get(id);
  const isElsewhere = before !== undefined && before.source !== null && before.source !== source;
  return isElsewhere ? { id: newId(), before: undefined } : { id, before };
}
