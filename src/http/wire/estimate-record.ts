import { z } from 'zod';
import type { ContextEstimate } from '../../ingest/enrich/contextualize-chunks.ts';
import { text } from './graph-record.ts';

/** An extraction that was done, queued, or only estimated. */
export const extractionResult = z
  .object({
    message: text,
    task_id: z.null(),
    documents: z.int().exactOptional(),
    entities: z.int().exactOptional(),
    relationships: z.int().exactOptional(),
    estimate: z
      .object({
        model: text,
        documents: z.int(),
        chunks: z.int(),
        calls: z.int(),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_usd: z.number().nullable(),
      })
      .exactOptional(),
  })
  .meta({ id: 'Extraction' });

/** The estimated cost of contextual chunk enrichment, in the members of an extraction estimate. */
export const toEstimateRecord = (estimate: ContextEstimate) => ({
  model: estimate.model,
  chunks: estimate.chunks,
  known_chunks: estimate.known,
  calls: estimate.calls,
  input_tokens: estimate.inputTokens,
  output_tokens: estimate.outputTokens,
  cost_usd: estimate.cost,
});
