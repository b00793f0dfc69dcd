import { isDeepStrictEqual } from 'node:util';
import type { Document, Metadata } from '../documents/document.ts';
import type { Corpus } from '../store/corpus.ts';
import type { Accepted, Submission } from './ingestor.ts';
import type { MergedSubmission, SubmittedFields } from './merge-earlier-fields.ts';
import type { ReadSubmission } from './read-submission.ts';

export interface SubmissionToCompare {
  readonly submission: Submission;
  readonly read: ReadSubmission;
  /** The document that has its identifier. */
  readonly own: Document | undefined;
}

/**
 * The document that makes this submission redundant, if there is one: the same bytes and no new fields. Without
 * `replace`, the corpus rejects an identifier that is taken.
 */
export async function findDuplicate(
  corpus: Corpus,
  { submission, read, own }: SubmissionToCompare,
): Promise<Accepted | undefined> {
  if (own !== undefined) {
    if (submission.replace !== true || own.contentHash !== read.contentHash) return undefined;
    const settings = await corpus.settingsOf(own.id);
    return hasNoNewFields(own, settings, { submission, read }) ? { kind: 'unchanged', document: own } : undefined;
  }
  // A submission with an explicit identifier and without `replace` asks for a document with that identifier.
  if (submission.id !== undefined && submission.replace !== true) return undefined;
  const duplicate = await corpus.findByContent(submission.ownerId, read.contentHash);
  return duplicate === undefined || changesRecord(submission, duplicate)
    ? undefined
    : { kind: 'duplicate', document: duplicate };
}

/** Whether a document already is what the submission, merged with its earlier fields, would make of the same content. */
export function hasNoNewFields(
  own: Document,
  settings: Metadata,
  { submission, read }: MergedSubmission<SubmittedFields, Pick<ReadSubmission, 'settings'>>,
): boolean {
  return (
    own.ingestionStatus === 'success' &&
    own.ownerId === submission.ownerId &&
    !changesRecord(submission, own) &&
    isDeepStrictEqual(settings, read.settings)
  );
}

function changesRecord({ metadata, collectionIds, title }: SubmittedFields, document: Document): boolean {
  if (title !== undefined && title !== document.title) return true;
  if (collectionIds.some((id) => !document.collectionIds.includes(id.toLowerCase()))) return true;
  return Object.entries(metadata).some(([name, value]) => !isDeepStrictEqual(document.metadata[name], value));
}
