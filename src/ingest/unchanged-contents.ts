import type { SourceRecords } from '../store/source-records.ts';
import { documentsOfSources } from './document-of-source.ts';
import { hasNoNewFields } from './find-duplicate.ts';
import { mergeEarlierFields, type SubmittedFields } from './merge-earlier-fields.ts';
import { settingsToStore } from './read-submission.ts';

/** The content with which ingesting a source again would change nothing. */
export interface UnchangedContent {
  readonly documentId: string;
  /** SHA-256 in hexadecimal. */
  readonly contentHash: string;
  readonly sizeInBytes: number;
}

/**
 * For each source the content with which submitting a file from there, with these fields, would change nothing. It is
 * undefined if any content would: without a document, or with other fields or settings than the document has. A caller
 * that has the same content need not send it.
 */
export async function unchangedContents(
  sources: readonly string[],
  fields: SubmittedFields,
  records: Pick<SourceRecords, 'find'>,
): Promise<readonly (UnchangedContent | undefined)[]> {
  const places = await documentsOfSources(sources, fields.ownerId, records);
  return places.map(({ before: own, settings }) => {
    if (own === undefined || settings === undefined) return undefined;
    const read = { title: own.title, settings: settingsToStore(fields, 'file') };
    const merged = mergeEarlierFields(own, settings, { submission: fields, read });
    if (!hasNoNewFields(own, settings, merged)) return undefined;
    return { documentId: own.id, contentHash: own.contentHash, sizeInBytes: own.sizeInBytes };
  });
}
