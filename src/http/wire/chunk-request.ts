import { z } from 'zod';
import type { Metadata } from '../../documents/document.ts';
import { optional, snakeCased } from './tolerant.ts';

const id = z.guid('This must be a UUID.').toLowerCase();
const metadata = z.record(z.string(), z.json()).transform((value): Metadata => value);
const text = z.string().refine((value) => value.trim() !== '', 'A chunk needs text; delete it instead.');
const MAX_CHUNKS = 102_400;

/** docs/contract.md 7. The id may be repeated in the body, as R2R's clients do. */
export const chunkEdit = z.object({ id: optional(id), text: optional(text), metadata: optional(metadata) });

/** Prepared chunks of one document, docs/contract.md 1.1. The corpus assigns their ids. */
export const newChunks = snakeCased(
  z.object({
    raw_chunks: z
      .array(
        snakeCased(
          z.object({
            document_id: optional(id),
            collection_ids: optional(z.array(id)),
            metadata: optional(metadata),
            text,
          }),
        ),
      )
      .min(1)
      .max(MAX_CHUNKS),
  }),
).transform(({ raw_chunks }) => [...Map.groupBy(raw_chunks, (chunk) => chunk.document_id).values()]);
