import type { Document, Metadata } from '../documents/document.ts';
import { documentId, newId } from '../documents/ids.ts';
import type { SourceRecords } from '../store/source-records.ts';

/** The document of a source; `before` is undefined if there is none yet, and `id` is then the one that it would get. */
export interface PlaceOfSource {
  readonly id: string;
  readonly before: Document | undefined;
  /** The settings of the latest ingestion of `before`. */
  readonly settings?: Metadata;
}

/**
 * The documents of sources, in order. The identifier of a new document is usually derived from the source; but a
 * document that was moved keeps its own, and a new document at its old source then needs another one.
 */
export async function documentsOfSources(
  sources: readonly string[],
  ownerId: string,
  records: Pick<SourceRecords, 'find'>,
): Promise<readonly PlaceOfSource[]> {
  const places = sources.map((source) => ({ source, id: documentId(source, ownerId) }));
  const found = await records.find(ownerId, places);
  return places.map(({ source, id }, index) => {
    const { document, hasSource, settings } = found[index] ?? {};
    const isElsewhere = !hasSource && document?.source != null && document.source !== source;
    if (isElsewhere) return { id: newId(), before: undefined };
    return { id: document?.id ?? id, before: document, ...(settings && { settings }) };
  });
}

/** The document of one source. */
export async function documentOfSource(
  source: string,
  ownerId: string,
  records: Pick<SourceRecords, 'find'>,
): Promise<PlaceOfSource> {
  const [place] = await documentsOfSources([source], ownerId, records);
  return place ?? { id: documentId(source, ownerId), before: undefined };
}
