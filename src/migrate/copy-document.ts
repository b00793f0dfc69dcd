import { z } from 'zod';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { type Copied, type Migration, undefinedIfMissing } from './migration.ts';
import { type R2rDocument, r2rDocument, readRecord } from './r2r-records.ts';
import type { V3Connection } from './v3-connection.ts';

/** Metadata members that a server adds itself. */
const SERVER_FIELDS: ReadonlySet<string> = new Set(['version', 'failure', 'document_type']);

/** The collections of a document that were copied, by their identifiers on the target. */
export interface DocumentCollections {
  /** Collections to which the owner of the document may add it. */
  readonly usable: readonly string[];
  /** Collections to which only `admin` may add it: R2R lets users add documents to collections of others. */
  readonly others: readonly string[];
  readonly admin: V3Connection;
}

/** Copies one document under its own identifier. Throws ServiceError with the reason when it cannot be copied. */
export async function copyDocument(
  { from, to, state }: Migration,
  document: R2rDocument,
  { usable, others, admin }: DocumentCollections,
): Promise<Copied> {
  const { id } = document;
  const present = await undefinedIfMissing(to.get(`/documents/${id}`));
  const status = present === undefined ? undefined : readRecord(r2rDocument, present, 'document').ingestion_status;
  const addToOthers = async (): Promise<void> => {
    for (const other of others) {
      await admin.post(`/collections/${other}/documents/${id}`).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
      });
    }
  };
  const known = state.find('document', id);
  const isUnfinished = status !== undefined && status !== 'success' && status !== 'failed';
  if (status === 'success' || (isUnfinished && known !== undefined)) {
    if (known === undefined) await addToOthers();
    return { to: id, outcome: 'present' };
  }
  const form = await contentOf(from, document);
  form.set('id', id);
  form.set('metadata', JSON.stringify(metadataOf(document)));
  // Waits for the outcome, whatever the server does with other uploads.
  form.set('run_with_orchestration', 'false');
  // Left behind by a run that was killed; nothing else may ever complete it.
  if (isUnfinished) form.set('replace', 'true');
  if (usable.length > 0) form.set('collection_ids', JSON.stringify(usable));
  await to.post('/documents', form);
  await addToOthers();
  await state.note({ kind: 'document', from: id, to: id, state: 'done' });
  return { to: id, outcome: 'copied' };
}

/** The original file, or its chunks if R2R kept no file. */
async function contentOf(from: Migration['from'], { id, title, document_type: type }: R2rDocument): Promise<FormData> {
  const form = new FormData();
  const file = await from.fileOf(id);
  if (file !== undefined && file.bytes.byteLength > 0) {
    const extension = type === '' ? '' : `.${type.toLowerCase()}`;
    const base = title === '' ? id : title.replaceAll(/[\\/]/g, '_');
    const name = base.toLowerCase().endsWith(extension) ? base : `${base}${extension}`;
    form.set('file', new Blob([Buffer.from(file.bytes)], file.mediaType === '' ? {} : { type: file.mediaType }), name);
    return form;
  }
  const chunks: string[] = [];
  for await (const chunk of from.chunksOf(id)) chunks.push(readRecord(passage, chunk, 'chunk').text);
  if (chunks.length === 0) {
    throw new ServiceError('not_found', 'The source has neither the file nor any chunks of this document.');
  }
  form.set('chunks', JSON.stringify(chunks));
  return form;
}

const passage = z.object({ text: z.string() });

function metadataOf({ metadata, title, created_at: createdAt }: R2rDocument): Metadata {
  const own = Object.entries(metadata).filter(([name]) => !SERVER_FIELDS.has(name));
  return {
    ...Object.fromEntries(own),
    ...(title !== '' && metadata['title'] === undefined && { title }),
    // `created_at` is the time of the copy; the original time is kept in the metadata.
    ...(createdAt !== '' && { first_ingested_at: createdAt }),
  };
}
