import { call, messageOf } from '../../api/request.ts';
import { addReceipts, type LibraryDocument, type Receipt } from './library-data.ts';

interface ListReceipt extends Receipt {
  readonly not_deleted: readonly { readonly document_id: string; readonly message: string }[];
}

export interface DeletionProgress {
  /** The number of documents that were deleted or refused. */
  readonly handled: number;
  readonly receipt: Receipt;
  readonly refused: readonly { readonly document: LibraryDocument; readonly message: string }[];
  /** Why the deletion ended before its end. */
  readonly failure?: string;
}

// Each request checks in searches that nothing is left, which takes as long as the deletion of dozens of documents.
// Larger batches would make the progress and the button that stops them coarse.
const MAX_DOCUMENTS = 100;
const MAX_PASSAGES = 2_000;

const sendDeletion = (ids: readonly string[]): Promise<ListReceipt> =>
  call<ListReceipt>('/v3/documents/delete', { method: 'POST', body: { document_ids: ids } });

/** Deletes documents in batches and yields the progress after each. A failed request ends it. */
export async function* deleteSelected(
  documents: readonly LibraryDocument[],
  send: (ids: readonly string[]) => Promise<ListReceipt> = sendDeletion,
): AsyncGenerator<DeletionProgress, void> {
  const byId = new Map(documents.map((document) => [document.id, document]));
  let progress: DeletionProgress = { handled: 0, receipt: addReceipts([]), refused: [] };
  const receipts: Receipt[] = [];
  for (const batch of batchesOf(documents)) {
    try {
      const { not_deleted: refused, ...receipt } = await send(batch.map(({ id }) => id));
      receipts.push(receipt);
      progress = {
        handled: progress.handled + batch.length,
        receipt: addReceipts(receipts),
        refused: [
          ...progress.refused,
          ...refused.flatMap(({ document_id: id, message }) => {
            const document = byId.get(id);
            return document === undefined ? [] : [{ document, message }];
          }),
        ],
      };
      yield progress;
    } catch (error) {
      yield { ...progress, failure: messageOf(error) };
      return;
    }
  }
}

function batchesOf(documents: readonly LibraryDocument[]): LibraryDocument[][] {
  const batches: LibraryDocument[][] = [];
  let passages = 0;
  for (const document of documents) {
    const batch = batches.at(-1);
    passages += document.chunk_count;
    if (batch === undefined || batch.length >= MAX_DOCUMENTS || passages > MAX_PASSAGES) {
      batches.push([document]);
      passages = document.chunk_count;
    } else batch.push(document);
  }
  return batches;
}
