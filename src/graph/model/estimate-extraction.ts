import { estimateTokens } from '../../documents/estimate-tokens.ts';
import { costOf, type Price } from '../../models/prices.ts';
import type { GraphChunk } from '../graph.ts';
import { batchChunks } from './batch-chunks.ts';
import { type ExtractionOptions, extractionMessages } from './extraction-prompt.ts';

/** Estimated cost of an extraction, shown before it begins. */
export interface ExtractionEstimate {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when the model's price is not configured. */
  readonly cost: number | null;
}

// Estimated output per input token for names, quotes and descriptions, without reasoning tokens.
const OUTPUT_PER_INPUT = 0.8;
const MIN_OUTPUT = 60;

/** Estimates from the texts, without calling the model. Retries are not included. */
export function estimateExtraction(
  chunks: readonly Pick<GraphChunk, 'text' | 'headingPath'>[],
  price: Price | undefined,
  { chunksPerCall, ...options }: ExtractionOptions & { readonly chunksPerCall?: number | undefined } = {},
): ExtractionEstimate {
  let inputTokens = 0;
  let outputTokens = 0;
  let cost = 0;
  const batches = batchChunks(chunks, chunksPerCall);
  for (const batch of batches) {
    const input = extractionMessages('', batch, options).reduce((sum, { text }) => sum + estimateTokens(text), 0);
    const text = batch.reduce((sum, chunk) => sum + estimateTokens(chunk.text), 0);
    const output = Math.ceil(text * OUTPUT_PER_INPUT) + MIN_OUTPUT;
    inputTokens += input;
    outputTokens += output;
    if (price) cost += costOf({ input, cachedInput: 0, output, reasoning: 0 }, price);
  }
  return { calls: batches.length, inputTokens, outputTokens, cost: price ? cost : null };
}
