import { openInference } from '../../local-models/inference.ts';
import type { Reranker } from '../rerank.ts';

const DEFAULT_DEPTH = 50;
// Fifty passages of 250 tokens take about two seconds on two cores; the first call also loads the model.
const DEFAULT_TIMEOUT_MS = 20_000;

export interface LocalRerankerOptions {
  /** The name of an installed cross-encoder, or its folder. */
  readonly model: string;
  readonly modelsFolder: string;
}

/** A cross-encoder that runs on this machine: it reads the query and each passage together. */
export function localReranker({ model, modelsFolder }: LocalRerankerOptions): Reranker {
  const inference = openInference({ model, modelsFolder });
  return {
    name: `local/${model}`,
    depth: DEFAULT_DEPTH,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    async rank({ query, texts }, signal) {
      const scores = await inference.score(query, texts, signal);
      return scores.map((score, index) => ({ index, score }));
    },
  };
}
