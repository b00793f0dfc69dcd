import type { Document } from '../documents/document.ts';
import { documentId, newId } from '../documents/ids.ts';
import type { SourceRecords } from '../store/source-records.ts';

/**
 * The document of a source, and the identifier a new document would get. The identifier is usually derived from the
 * source; but a document that was moved keeps its own, and a new document at its old source then needs another one.
 */
export async function documentOfSource(
  source: string,
  ownerId: string,
  sources: Pick<SourceRecords, 'find'>,
): Promise<{ readonly id: string; readonly before: Document | undefined }> {
  const id = documentId(source, ownerId);
  const found = await sources.find(ownerId, source, id);
  if (found === undefined) return { id, before: undefined };
  const { document, hasSource } = found;
  const isElsewhere = !hasSource && document.source !== null && document.source !== source;
  return isElsewhere ? { id: newId(), before: undefined } : { id: document.id, before: document };
}
