import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import type { Model, ModelRegistry } from '../../models/model.ts';
import { type PriceTable, priceOf } from '../../models/prices.ts';
import { SUGGESTED_SETTINGS } from '../../models/suggested-settings.ts';
import type { ChunkContextRecords } from '../../store/chunk-context-records.ts';
import type { IngestionSettings } from '../ingestor.ts';
import type { SplitChunk } from '../split-text.ts';
import {
  type ChunksToContextualize,
  type ContextEstimate,
  type ContextualizeParts,
  contextualizeChunks,
  estimateContextualizing,
} from './contextualize-chunks.ts';
import { type ContextSettings, storedContext, storedSummary } from './enrichment-settings.ts';

/** Texts that models add to documents during ingestion. */
export interface Enrichment {
  /** Throws `unknown_model`, `not_configured` or `invalid_request` for settings that cannot be applied later. */
  check(settings: IngestionSettings): void;
  /** The model that summarises a document with these settings; undefined when none does. */
  summaryModel(settings: Metadata): string | undefined;
  /** Whether contexts are written for the chunks of a document with these settings. */
  contextualizes(settings: Metadata): boolean;
  /** Returns the chunks with their contexts. Throws the model's errors; contexts written until then are kept. */
  contextualize(
    document: ChunksToContextualize,
    settings: Metadata,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly done: number; readonly total: number }, readonly SplitChunk[]>;
  estimate(document: ChunksToContextualize, settings: Metadata): Promise<ContextEstimate | undefined>;
}

export interface EnrichmentParts {
  readonly models: ModelRegistry;
  readonly contexts: ChunkContextRecords;
  /** The current template of a prompt. Throws `not_found`. */
  readonly templateOf: (name: string) => string;
  readonly prices: PriceTable;
  /** False uses the extractive summary for every document, unless its settings name a model. */
  readonly writesSummaries: boolean;
}

const DEFAULT_PROMPT = 'chunk_enrichment';

export function createEnrichment({
  models,
  contexts,
  templateOf,
  prices,
  writesSummaries,
}: EnrichmentParts): Enrichment {
  /** A model that generates text; an extractive one cannot write contexts. */
  const writer = (name: string | undefined): Model => {
    const model = models.resolve(name, 'fast');
    if (!model.name.startsWith('builtin/')) return model;
    throw new ServiceError(
      'not_configured',
      'Chunk enrichment (chunk_enrichment_settings, --enrich) needs a language model, and none is configured. ' +
        `Set ${SUGGESTED_SETTINGS}.`,
    );
  };

  const partsOf = ({ neighbours, generation, prompt }: ContextSettings): ContextualizeParts => {
    const { model: name, ...config } = generation;
    return { model: writer(name), records: contexts, template: template(prompt), generation: config, neighbours };
  };

  /** The contract expects the name of a prompt; a template is accepted as well. */
  const template = (prompt: string | undefined): string => {
    if (prompt?.includes('{chunk}')) return prompt;
    const words = templateOf(prompt ?? DEFAULT_PROMPT);
    if (words.includes('{chunk}')) return words;
    throw new ServiceError('invalid_request', `The prompt "${prompt}" lacks {chunk}, the placeholder for the passage.`);
  };

  return {
    check({ summary, context }) {
      if (summary?.model !== undefined) models.resolve(summary.model, 'fast');
      if (context !== undefined && context !== false) partsOf(context);
    },

    summaryModel(settings) {
      if (settings['skip_summary'] === true) return undefined;
      const { model } = storedSummary(settings);
      if (model === undefined && !writesSummaries) return undefined;
      const name = model === undefined ? models.defaultName('fast') : models.resolve(model, 'fast').name;
      return name.startsWith('builtin/') ? undefined : name;
    },

    contextualizes: (settings) => storedContext(settings) !== undefined,

    async *contextualize(document, settings, signal) {
      const context = storedContext(settings);
      return context === undefined ? document.chunks : yield* contextualizeChunks(document, partsOf(context), signal);
    },

    async estimate(document, settings) {
      const context = storedContext(settings);
      if (context === undefined) return undefined;
      const parts = partsOf(context);
      return estimateContextualizing(document, parts, priceOf(parts.model.name, prices));
    },
  };
}
