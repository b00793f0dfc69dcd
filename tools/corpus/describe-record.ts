import { z } from 'zod';
import type { Document } from '../../src/documents/document.ts';
import { type Audience, reasonFor } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import { shortDocumentId } from '../../src/toolbox/short-id.ts';

/** A document as it appears in tool results, without its text. */
export const documentRecord = z.object({
  document_id: z.string(),
  title: z.string(),
  document_type: z.string(),
  status: z.string(),
  failure: z.string().optional(),
  chunk_count: z.number().int(),
  char_count: z.number().int(),
  created_at: z.string(),
  updated_at: z.string(),
  source: z.string().optional(),
  collection_ids: z.array(z.string()),
});

export const toDocumentRecord = (document: Document, audience?: Audience): z.output<typeof documentRecord> => ({
  document_id: document.id,
  title: document.title,
  document_type: document.type,
  status: document.ingestionStatus,
  ...(document.failure === null ? {} : { failure: reasonFor(document.failure, audience) }),
  chunk_count: document.chunkCount,
  char_count: document.textLength,
  created_at: document.createdAt,
  updated_at: document.updatedAt,
  ...(document.source === null ? {} : { source: document.source }),
  collection_ids: [...document.collectionIds],
});

/** Describes a document in one line of text. */
export function describeDocument(document: Document, audience?: Audience): string {
  const facts = [document.type, statusWords(document, audience)];
  if (document.chunkCount > 0) facts.push(`${document.chunkCount} chunks`, `${document.textLength} characters`);
  if (document.source !== null) facts.push(shortLine(document.source));
  facts.push(`changed ${document.updatedAt}`, `document_id ${shortDocumentId(document.id)}`);
  return `${shortLine(document.title)} · ${facts.join(' · ')}`;
}

const statusWords = ({ ingestionStatus, failure }: Document, audience: Audience | undefined): string =>
  failure === null ? ingestionStatus : `${ingestionStatus} (${shortLine(reasonFor(failure, audience), 300)})`;
