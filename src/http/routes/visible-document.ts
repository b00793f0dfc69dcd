import type { Response } from 'express';
import { isVisible, mayChange } from '../../access/visible-filter.ts';
import type { Document } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import type { Corpus } from '../../store/corpus.ts';
import { principalOf } from '../authenticate.ts';

/** A document the caller may see; otherwise 404, whether or not it exists. */
export async function findVisible(corpus: Corpus, id: string, response: Response): Promise<Document> {
  const document = await corpus.get(id);
  if (document === undefined || !isVisible(document, principalOf(response))) throw noDocument(id);
  return document;
}

/** A document whose content is requested. For another user's document R2R answers 403, which reveals that it exists. */
export async function findReadable(corpus: Corpus, id: string, response: Response): Promise<Document> {
  const document = await corpus.get(id);
  if (document === undefined) throw noDocument(id);
  if (isVisible(document, principalOf(response))) return document;
  throw new ServiceError('forbidden', `You do not have permission to read the content of document ${id}.`);
}

/** A document the caller may change. */
export async function findChangeable(corpus: Corpus, id: string, response: Response): Promise<Document> {
  const document = await findVisible(corpus, id, response);
  if (mayChange(document, principalOf(response))) return document;
  throw new ServiceError('forbidden', `Only its owner may change the document ${id}.`);
}

export const noDocument = (id: string): ServiceError => new ServiceError('not_found', `There is no document ${id}.`);

/** The document as of a given time. The caller's access is checked against its current state. */
export async function findThen(corpus: Corpus, document: Document, asOf: string | undefined): Promise<Document> {
  if (asOf === undefined) return document;
  const then = await corpus.at(asOf).get(document.id);
  if (then !== undefined) return then;
  throw new ServiceError(
    'not_found',
    `Document ${document.id} did not exist at ${asOf}, or that version is no longer stored.`,
  );
}
