import { isDeepStrictEqual } from 'node:util';
import type { Document } from '../documents/document.ts';
import type { Corpus } from '../store/corpus.ts';
import type { Accepted, Submission } from './ingestor.ts';
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
    if (submission.replace !== true || own.contentHash !== read.contentHash || own.ingestionStatus !== 'success')
      return undefined;
    const isSame =
      own.ownerId === submission.ownerId &&
      !changesRecord(submission, own) &&
      isDeepStrictEqual(await corpus.settingsOf(own.id), read.settings);
    return isSame ? { kind: 'unchanged', document: own } : undefined;
  }
  // A submission with an explicit identifier and without `replace` asks for a document with that identifier.
  if (submission.id !== undefined && submission.replace !== true) return undefined;
  const duplicate = await corpus.findByContent(submission.ownerId, read.contentHash);
  return duplicate === undefined || changesRecord(submission, duplicate)
    ? undefined
    : { kind: 'duplicate', document: duplicate };
}

function changesRecord({ metadata, collectionIds, title }: Submission, document: Document): boolean {
  if (title !== undefined && title !== document.title) return true;
  if (collectionIds.some((id) => !document.collectionIds.includes(id.toLowerCase()))) return true;
  return Object.entries(metadata).some(([name, value]) => !isDeepStrictEqual(document.metadata[name], value));
}
