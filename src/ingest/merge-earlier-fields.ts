import type { Document, Metadata } from '../documents/document.ts';
import type { Submission } from './ingestor.ts';
import type { ReadSubmission } from './read-submission.ts';

/** A submission without its content. */
export type SubmittedFields = Omit<Submission, 'content'>;

/** A submission that replaces a document, merged with the document's earlier fields; with or without its content. */
export interface MergedSubmission<Fields = Submission, Read = ReadSubmission> {
  readonly submission: Fields;
  readonly read: Read;
}

/**
 * Ingesting a source again replaces its content but not what users added: collections and metadata are kept, including
 * later edits, and only explicitly given fields change.
 */
export function mergeEarlierFields<
  Fields extends SubmittedFields,
  Read extends Pick<ReadSubmission, 'title' | 'settings'>,
>(
  own: Document,
  settings: Metadata,
  { submission, read }: MergedSubmission<Fields, Read>,
): MergedSubmission<Fields, Read> {
  const explicitNames = [...names(settings['given_metadata']), ...Object.keys(submission.metadata)];
  const metadata = { ...own.metadata, ...submission.metadata };
  const hadTitle = settings['given_title'] === true;
  const hasTitle = read.settings['given_title'] === true;
  return {
    submission: { ...submission, metadata, collectionIds: [...own.collectionIds, ...submission.collectionIds] },
    read: {
      ...read,
      title: hadTitle && !hasTitle ? own.title : read.title,
      settings: {
        ...keptOptions(settings, submission),
        ...read.settings,
        // A name whose value was lost with a failed attempt may be filled by the document again.
        given_metadata: [...new Set(explicitNames)].filter((name) => name in metadata),
        given_title: hadTitle || hasTitle,
      },
    },
  };
}

/** Enrichment settings of earlier ingestions stay in force until a submission changes them. */
function keptOptions({ enrichment, summary_settings: summary }: Metadata, { settings }: SubmittedFields): Metadata {
  return {
    ...(enrichment !== undefined && settings.context === undefined && { enrichment }),
    ...(summary !== undefined && settings.summary === undefined && { summary_settings: summary }),
  };
}

const names = (value: Metadata[string] | undefined): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
