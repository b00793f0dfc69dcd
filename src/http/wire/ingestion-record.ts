import { z } from 'zod';
import type { ContextEstimate } from '../../ingest/enrich/contextualize-chunks.ts';
import { id } from './record-parts.ts';

/** The response to a submission that was ingested, queued, or only estimated. */
export const ingestionRecord = z
  .object({
    message: z.string(),
    task_id: id.nullable(),
    document_id: id.nullable().describe('Null for an estimate.'),
    estimate: z
      .object({
        model: z.string(),
        chunks: z.int(),
        known_chunks: z.int().describe('Contexts that exist already and cost nothing.'),
        calls: z.int(),
        input_tokens: z.int(),
        output_tokens: z.int(),
        cost_usd: z.number().nullable(),
      })
      .nullish()
      .describe('With run_type "estimate": the estimated cost of contextual enrichment of the chunks by a model.'),
  })
  .meta({ id: 'IngestionResult' });

type IngestionRecord = z.input<typeof ingestionRecord>;

export const toIngestionRecord = (documentId: string, message: string, taskId: string | null = null) =>
  ({ message, task_id: taskId, document_id: documentId }) satisfies IngestionRecord;

export const toIngestionEstimate = (estimate: ContextEstimate | null) =>
  ({
    message: 'Estimated; nothing was ingested.',
    task_id: null,
    document_id: null,
    estimate: estimate && {
      model: estimate.model,
      chunks: estimate.chunks,
      known_chunks: estimate.known,
      calls: estimate.calls,
      input_tokens: estimate.inputTokens,
      output_tokens: estimate.outputTokens,
      cost_usd: estimate.cost,
    },
  }) satisfies IngestionRecord;
