import { z } from 'zod';
import type { GraphEstimate } from '../../graph/graph-service.ts';

/** The response to a graph extraction that was performed, queued, or only estimated. */
export const extractionRecord = z
  .object({
    message: z.string(),
    task_id: z.null(),
    documents: z.int().exactOptional(),
    entities: z.int().exactOptional(),
    relationships: z.int().exactOptional(),
    estimate: z
      .object({
        model: z.string(),
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

type ExtractionRecord = z.input<typeof extractionRecord>;

export const toExtractionRecord = (
  message: string,
  counts: Pick<ExtractionRecord, 'documents' | 'entities' | 'relationships'> = {},
): ExtractionRecord => ({ message, task_id: null, ...counts });

/** Returns the estimate as a record; R2R returns a text. */
export const toExtractionEstimate = (estimate: GraphEstimate): ExtractionRecord => ({
  message: 'Ran graph extraction estimate; nothing was extracted.',
  task_id: null,
  estimate: {
    model: estimate.extractor,
    documents: estimate.documents,
    chunks: estimate.chunks,
    calls: estimate.calls,
    input_tokens: estimate.inputTokens,
    output_tokens: estimate.outputTokens,
    cost_usd: estimate.cost,
  },
});
