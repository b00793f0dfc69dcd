import type { ContextEstimate } from '../../ingest/enrich/contextualize-chunks.ts';

/** The estimated cost of contextual chunk enrichment, in the members of an extraction estimate. */
export const toEstimateRecord = (estimate: ContextEstimate) => ({
  model: estimate.model,
  chunks: estimate.passages,
  known_chunks: estimate.known,
  calls: estimate.calls,
  input_tokens: estimate.inputTokens,
  output_tokens: estimate.outputTokens,
  cost_usd: estimate.cost,
});
