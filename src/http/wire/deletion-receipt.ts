import type { DeletionReceipt } from '../../store/corpus.ts';
import { single } from '../envelope.ts';

/** The contract's `success`, and as an addition the numbers of removed rows by kind. */
export const toReceipt = (receipt: DeletionReceipt) =>
  single({
    success: true,
    documents: receipt.documents,
    chunks: receipt.chunks,
    vectors: receipt.vectors,
    full_text_entries: receipt.fullTextEntries,
    files: receipt.files,
    graph_rows: receipt.graphRows,
    ...(receipt.cached === undefined ? {} : { cached: receipt.cached }),
    ...(receipt.versions === undefined ? {} : { versions: receipt.versions }),
    ...(receipt.pastChunks === undefined ? {} : { past_chunks: receipt.pastChunks }),
    ...(receipt.index === undefined ? {} : { index: receipt.index }),
    ...(receipt.verified === undefined ? {} : { verified: receipt.verified }),
  });
