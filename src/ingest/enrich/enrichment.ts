import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import type { Model, ModelRegistry } from '../../models/model.ts';
import { type PriceTable, priceOf } from '../../models/prices.ts';
import type { ChunkContextRecords } from '../../store/chunk-context-records.ts';
import type { IngestionSettings } from '../ingestor.ts';
import type { Passage } from '../split-text.ts';
import { type ContextSettings, storedContext, storedSummary } from './enrichment-settings.ts';
import {
  estimatePlacing,
  type PassagesToPlace,
  type PlacingEstimate,
  type PlacingParts,
  placePassages,
} from './place-passages.ts';

/** What models add to documents as they come in. */
export interface Enrichment {
  /** Throws `unknown_model`, `not_configured` or `invalid_request` for what could not be done later. */
  check(settings: IngestionSettings): void;
  /** The model that is to summarise a document with these settings; undefined when none is. */
  summaryModel(settings: Metadata): string | undefined;
  /** Whether the passages of a document with these settings are to be placed in it. */
  places(settings: Metadata): boolean;
  /** The passages with what places them. Throws what the model throws; what it wrote until then is kept. */
  place(
    placed: PassagesToPlace,
    settings: Metadata,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly done: number; readonly total: number }, readonly Passage[]>;
  estimate(placed: PassagesToPlace, settings: Metadata): Promise<PlacingEstimate | undefined>;
}

export interface EnrichmentParts {
  readonly models: ModelRegistry;
  readonly contexts: ChunkContextRecords;
  /** The words of a prompt as they are now. Throws `not_found`. */
  readonly templateOf: (name: string) => string;
  readonly prices: PriceTable;
  /** False leaves every document with the extract, unless its settings name a model. */
  readonly writesSummaries: boolean;
}

const USUAL_PROMPT = 'chunk_enrichment';

export function createEnrichment({
  models,
  contexts,
  templateOf,
  prices,
  writesSummaries,
}: EnrichmentParts): Enrichment {
  /** A model that writes; what only quotes can place nothing. */
  const writer = (name: string | undefined): Model => {
    const model = models.resolve(name, 'fast');
    if (!model.name.startsWith('builtin/')) return model;
    throw new ServiceError(
      'not_configured',
      'Placing passages (chunk_enrichment_settings, --enrich) needs a language model, and none is configured. ' +
        'Set OPENAI_API_KEY, ANTHROPIC_API_KEY, OLLAMA_BASE_URL or CITEWELL_PROVIDERS.',
    );
  };

  const partsOf = ({ neighbours, generation, prompt }: ContextSettings): PlacingParts => {
    const { model: name, ...config } = generation;
    return { model: writer(name), records: contexts, template: template(prompt), generation: config, neighbours };
  };

  /** By contract the name of a prompt; the words of one are understood as well. */
  const template = (prompt: string | undefined): string => {
    if (prompt?.includes('{chunk}')) return prompt;
    const words = templateOf(prompt ?? USUAL_PROMPT);
    if (words.includes('{chunk}')) return words;
    throw new ServiceError('invalid_request', `The prompt "${prompt}" lacks {chunk}, which stands for the passage.`);
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

    places: (settings) => storedContext(settings) !== undefined,

    async *place(placed, settings, signal) {
      const context = storedContext(settings);
      return context === undefined ? placed.passages : yield* placePassages(placed, partsOf(context), signal);
    },

    async estimate(placed, settings) {
      const context = storedContext(settings);
      if (context === undefined) return undefined;
      const parts = partsOf(context);
      return estimatePlacing(placed, parts, priceOf(parts.model.name, prices));
    },
  };
}
