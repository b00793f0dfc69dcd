import { estimateTokens } from '../../documents/estimate-tokens.ts';
import { costOf, type Price } from '../../models/prices.ts';
import type { GraphPassage } from '../graph.ts';
import { batchPassages } from './batch-passages.ts';
import { type ExtractionWishes, extractionMessages } from './extraction-prompt.ts';

/** What an extraction would come to, to be shown before it begins. */
export interface ExtractionEstimate {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when nobody said what the model costs. */
  readonly cost: number | null;
}

// Names, quotes and descriptions come to about this part of the text they are about; thinking comes on top.
const OUTPUT_PER_INPUT = 0.8;
const LEAST_OUTPUT = 60;

/** Estimated from the texts, without asking anybody. Replies that have to be asked for twice come on top. */
export function estimateExtraction(
  passages: readonly Pick<GraphPassage, 'text' | 'headingPath'>[],
  price: Price | undefined,
  { passagesPerCall, ...wishes }: ExtractionWishes & { readonly passagesPerCall?: number | undefined } = {},
): ExtractionEstimate {
  let inputTokens = 0;
  let outputTokens = 0;
  let cost = 0;
  const batches = batchPassages(passages, passagesPerCall);
  for (const batch of batches) {
    const input = extractionMessages('', batch, wishes).reduce((sum, { text }) => sum + estimateTokens(text), 0);
    const text = batch.reduce((sum, passage) => sum + estimateTokens(passage.text), 0);
    const output = Math.ceil(text * OUTPUT_PER_INPUT) + LEAST_OUTPUT;
    inputTokens += input;
    outputTokens += output;
    if (price) cost += costOf({ input, cachedInput: 0, output, reasoning: 0 }, price);
  }
  return { calls: batches.length, inputTokens, outputTokens, cost: price ? cost : null };
}
