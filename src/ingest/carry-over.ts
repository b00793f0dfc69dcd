import type { Document, Metadata } from '../documents/document.ts';
import type { Submission } from './ingestor.ts';
import type { ReadSubmission } from './read-submission.ts';

/** What a submission that takes a document's place says of it, together with what was said before. */
export interface CarriedOver {
  readonly submission: Submission;
  readonly read: ReadSubmission;
}

/**
 * Taking a source in again replaces its content and not what people said of it: collections and metadata stay, also
 * those edited since, and only what is named anew is changed.
 */
export function carryOver(own: Document, settings: Metadata, { submission, read }: CarriedOver): CarriedOver {
  const said = [...names(settings['given_metadata']), ...Object.keys(submission.metadata)];
  const metadata = { ...own.metadata, ...submission.metadata };
  const hadTitle = settings['given_title'] === true;
  const hasTitle = read.settings['given_title'] === true;
  return {
    submission: { ...submission, metadata, collectionIds: [...own.collectionIds, ...submission.collectionIds] },
    read: {
      ...read,
      title: hadTitle && !hasTitle ? own.title : read.title,
      settings: {
        ...keptWishes(settings, submission),
        ...read.settings,
        // A name whose value was lost with a failed attempt is the document's own to fill again.
        given_metadata: [...new Set(said)].filter((name) => name in metadata),
        given_title: hadTitle || hasTitle,
      },
    },
  };
}

/** What a model was to write of it goes on being written, until somebody says otherwise. */
function keptWishes({ enrichment, summary_settings: summary }: Metadata, { settings }: Submission): Metadata {
  return {
    ...(enrichment !== undefined && settings.context === undefined && { enrichment }),
    ...(summary !== undefined && settings.summary === undefined && { summary_settings: summary }),
  };
}

const names = (value: Metadata[string] | undefined): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
