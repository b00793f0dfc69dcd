import type { Json, Metadata } from '../../documents/document.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';

/** How a model is to summarise a document, r2r-v3.md 6.2. */
export interface SummarySettings {
  /** The fast one where nobody says another. */
  readonly model?: string;
  /** Passages it is made from at most. */
  readonly passages?: number;
  /** Characters it is made from at most. */
  readonly characters?: number;
}

export const usualSummary = { passages: 128, characters: 100_000 } as const;

/** How a model is to place each passage in its document, r2r-v3.md 6.2. */
export interface ContextSettings {
  /** Passages before and after that it reads along. */
  readonly neighbours: number;
  readonly generation: GenerationConfig;
  /** The name of a prompt, or the words of one. */
  readonly prompt?: string;
}

export const usualContext: ContextSettings = { neighbours: 2, generation: {} };

/** As they are kept with the document, so that an interrupted ingestion goes on as it began. */
export const storeSummary = ({ model, passages, characters }: SummarySettings): Metadata => ({
  ...(model !== undefined && { model }),
  ...(passages !== undefined && { passages }),
  ...(characters !== undefined && { characters }),
});

export function storedSummary({ summary_settings: stored }: Metadata): SummarySettings {
  const { model, passages, characters } = record(stored);
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof passages === 'number' && { passages }),
    ...(typeof characters === 'number' && { characters }),
  };
}

export const storeContext = ({ neighbours, generation, prompt }: ContextSettings): Metadata => ({
  neighbours,
  generation: { ...generation } as Metadata,
  ...(prompt !== undefined && { prompt }),
});

/** Undefined when passages are not to be placed. */
export function storedContext({ enrichment }: Metadata): ContextSettings | undefined {
  if (enrichment === undefined) return undefined;
  const { neighbours, generation, prompt } = record(enrichment);
  return {
    neighbours: typeof neighbours === 'number' ? neighbours : usualContext.neighbours,
    // Written by this program, from what was checked when it came.
    generation: record(generation) as GenerationConfig,
    ...(typeof prompt === 'string' && { prompt }),
  };
}

const record = (value: Json | undefined): Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : {};
