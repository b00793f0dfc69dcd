import { z } from 'zod';
import type { ListDeletion } from '../../access/delete-documents.ts';
import { single } from '../envelope.ts';
import { deletionReceipt, toReceipt } from './deletion-receipt.ts';
import { id, results } from './record-parts.ts';

const MAX_DOCUMENTS = 1_000;

/** The body of a deletion of listed documents. */
export const deletionList = z.object({
  document_ids: z
    .array(z.guid('This must be a UUID.').toLowerCase())
    .min(1)
    .max(MAX_DOCUMENTS)
    .describe('The documents to delete.'),
});

export const listReceipt = results(
  deletionReceipt.shape.results
    .extend({
      not_deleted: z
        .array(z.object({ document_id: id, code: z.enum(['not_found', 'forbidden']), message: z.string() }))
        .describe('The listed documents that were not deleted, with the reasons.'),
    })
    .meta({ id: 'ListDeletionReceipt', description: 'Numbers of deleted items by kind, and what was not deleted.' }),
) satisfies z.ZodType<ReturnType<typeof toListReceipt>>;

export const toListReceipt = ({ receipt, undeleted }: ListDeletion) =>
  single({
    ...toReceipt(receipt).results,
    not_deleted: undeleted.map(({ documentId, code, message }) => ({ document_id: documentId, code, message })),
  });
