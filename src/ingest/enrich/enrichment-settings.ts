import type { Json, Metadata } from '../../documents/document.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';

/** Settings of the summary a model writes, docs/contract.md 6.2. */
export interface SummarySettings {
  /** Default: the fast model. */
  readonly model?: string;
  /** Maximum number of chunks it is made from. */
  readonly chunks?: number;
  /** Maximum number of characters it is made from. */
  readonly characters?: number;
}

export const defaultSummary = { chunks: 128, characters: 100_000 } as const;

/** Settings of the contexts a model writes for chunks, docs/contract.md 6.2. */
export interface ContextSettings {
  /** Number of chunks before and after that are included in the prompt. */
  readonly neighbours: number;
  readonly generation: GenerationConfig;
  /** The name of a prompt, or a prompt template. */
  readonly prompt?: string;
}

export const defaultContext: ContextSettings = { neighbours: 2, generation: {} };

/**
 * Converts the settings for storage with the document, so that an interrupted ingestion resumes with the same settings.
 */
export const storeSummary = ({ model, chunks, characters }: SummarySettings): Metadata => ({
  ...(model !== undefined && { model }),
  ...(chunks !== undefined && { passages: chunks }),
  ...(characters !== undefined && { characters }),
});

export function storedSummary({ summary_settings: stored }: Metadata): SummarySettings {
  const { model, passages: chunks, characters } = record(stored);
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof chunks === 'number' && { chunks }),
    ...(typeof characters === 'number' && { characters }),
  };
}

export const storeContext = ({ neighbours, generation, prompt }: ContextSettings): Metadata => ({
  neighbours,
  generation: { ...generation } as Metadata,
  ...(prompt !== undefined && { prompt }),
});

/** Undefined when no contexts are to be written. */
export function storedContext({ enrichment }: Metadata): ContextSettings | undefined {
  if (enrichment === undefined) return undefined;
  const { neighbours, generation, prompt } = record(enrichment);
  return {
    neighbours: typeof neighbours === 'number' ? neighbours : defaultContext.neighbours,
    // Written by this program after validation.
    generation: record(generation) as GenerationConfig,
    ...(typeof prompt === 'string' && { prompt }),
  };
}

const record = (value: Json | undefined): Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : {};
