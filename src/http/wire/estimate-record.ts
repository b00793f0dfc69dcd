import type { PlacingEstimate } from '../../ingest/enrich/place-passages.ts';

/** What placing passages by a model comes to, in the members of an estimate of graph extraction. */
export const toEstimateRecord = (estimate: PlacingEstimate) => ({
  model: estimate.model,
  chunks: estimate.passages,
  known_chunks: estimate.known,
  calls: estimate.calls,
  input_tokens: estimate.inputTokens,
  output_tokens: estimate.outputTokens,
  cost_usd: estimate.cost,
});
