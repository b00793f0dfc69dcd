import { z } from 'zod';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { type Copied, type Migration, undefinedIfMissing } from './migration.ts';
import { type R2rDocument, r2rDocument, readRecord } from './r2r-records.ts';

/** Metadata members that a server adds itself. */
const SERVER_FIELDS: ReadonlySet<string> = new Set(['version', 'failure', 'document_type']);

/** Copies one document under its own identifier. Throws ServiceError with the reason when it cannot be copied. */
export async function copyDocument(
  { from, to, state }: Migration,
  document: R2rDocument,
  collectionIds: ReadonlyMap<string, string>,
): Promise<Copied> {
  const { id } = document;
  const present = await undefinedIfMissing(to.get(`/documents/${id}`));
  const status = present === undefined ? undefined : readRecord(r2rDocument, present, 'document').ingestion_status;
  if (status === 'success' || (status === 'enriching' && state.find('document', id) !== undefined)) {
    return { to: id, outcome: 'present' };
  }
  const form = await contentOf(from, document);
  form.set('id', id);
  form.set('metadata', JSON.stringify(metadataOf(document)));
  // Collections that could not be copied are left out.
  const collections = document.collection_ids.flatMap((each) => collectionIds.get(each) ?? []);
  if (collections.length > 0) form.set('collection_ids', JSON.stringify(collections));
  await to.post('/documents', form);
  await state.note({ kind: 'document', from: id, to: id, state: 'done' });
  return { to: id, outcome: 'copied' };
}

/** The original file, or its chunks where R2R kept no file. */
async function contentOf(from: Migration['from'], { id, title, document_type: type }: R2rDocument): Promise<FormData> {
  const form = new FormData();
  const file = await undefinedIfMissing(from.bytes(`/documents/${id}/download`));
  if (file !== undefined && file.bytes.byteLength > 0) {
    const extension = type === '' ? '' : `.${type.toLowerCase()}`;
    const base = title === '' ? id : title.replaceAll(/[\\/]/g, '_');
    const name = base.toLowerCase().endsWith(extension) ? base : `${base}${extension}`;
    form.set('file', new Blob([Buffer.from(file.bytes)], file.mediaType === '' ? {} : { type: file.mediaType }), name);
    return form;
  }
  const chunks: string[] = [];
  for await (const chunk of from.list(`/documents/${id}/chunks`)) chunks.push(readRecord(passage, chunk, 'chunk').text);
  if (chunks.length === 0) {
    throw new ServiceError('not_found', 'There is neither a file nor a passage of it on the server.');
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
