import { z } from 'zod';
import type { DeletionReceipt } from '../../store/corpus.ts';
import { single } from '../envelope.ts';
import { results } from './record-parts.ts';

export const deletionReceipt = results(
  z
    .object({
      success: z.literal(true),
      documents: z.int(),
      chunks: z.int(),
      vectors: z.int(),
      full_text_entries: z.int(),
      files: z.int(),
      graph_rows: z.int(),
      cached: z.int().exactOptional(),
      versions: z.int().exactOptional(),
      past_chunks: z.int().exactOptional(),
      index: z
        .object({ removed: z.int(), state: z.enum(['confirmed', 'pending']) })
        .exactOptional()
        .describe('Number of chunks removed from the vector index.'),
      verified: z
        .union([z.boolean(), z.literal('pending')])
        .exactOptional()
        .describe('Whether searches confirmed the deletion.'),
    })
    .meta({ id: 'DeletionReceipt', description: 'Numbers of deleted items by kind.' }),
) satisfies z.ZodType<ReturnType<typeof toReceipt>>;

/** The contract's `success`. Addition: the numbers of removed rows by kind. */
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
