import { z } from 'zod';
import { type ContextSettings, defaultContext } from '../../ingest/enrich/enrichment-settings.ts';
import type { IngestionSettings } from '../../ingest/ingestor.ts';
import type { SplitStrategy } from '../../ingest/split-text.ts';
import { generationConfig } from './generation-config.ts';
import { defined, numeric, optional, snakeCased } from './tolerant.ts';

const flag = z.union([z.boolean(), z.stringbool()]);
const model = optional(z.string().trim().min(1));

const enrichmentSettings = snakeCased(
  z.object({
    enable_chunk_enrichment: optional(flag),
    n_chunks: optional(numeric(z.number().int().min(0).max(20))),
    generation_config: optional(generationConfig),
    chunk_enrichment_prompt: optional(z.string().trim().min(1).max(20_000)),
  }),
);

/** Requested parsers by document type. They only cause a note in the response; see `ignoredSettingsNote`. */
const parsers = optional(z.record(z.string(), z.union([z.string(), z.array(z.string())])));

/**
 * docs/contract.md 6.2. `basic` and `by_title`, which R2R delegates to an external service, mean splitting by structure
 * here. Members for such services are ignored, like unknown ones.
 */
export const ingestionConfig = snakeCased(
  z.object({
    chunking_strategy: optional(z.enum(['recursive', 'character', 'basic', 'by_title'])),
    chunk_size: optional(numeric(z.number().int().min(1))),
    chunk_overlap: optional(numeric(z.number().int().min(0))),
    skip_document_summary: optional(flag),
    document_summary_model: model,
    chunks_for_document_summary: optional(numeric(z.number().int().min(1).max(10_000))),
    document_summary_max_length: optional(numeric(z.number().int().min(1).max(10_000_000))),
    chunk_enrichment_settings: optional(enrichmentSettings),
    excluded_parsers: optional(z.array(z.string().trim().min(1)).max(200)),
    extra_parsers: parsers,
    parser_overrides: parsers,
    automatic_extraction: optional(flag),
    vlm: model,
    audio_transcription_model: model,
  }),
);

export type IngestionConfig = Partial<z.output<typeof ingestionConfig>>;
export type IngestionMode = 'fast' | 'hi-res' | 'ocr' | 'custom';

/** Settings of a mode with its configuration. Of the modes, only `fast` skips the summary. */
export function toIngestionSettings(mode: IngestionMode | undefined, config: IngestionConfig): IngestionSettings {
  const summary = defined({
    model: config.document_summary_model,
    chunks: config.chunks_for_document_summary,
    characters: config.document_summary_max_length,
  });
  return defined({
    chunkingStrategy: strategies[config.chunking_strategy ?? ''],
    chunkSize: config.chunk_size,
    chunkOverlap: config.chunk_overlap,
    automaticExtraction: config.automatic_extraction,
    skipSummary: config.skip_document_summary ?? (mode === 'fast' ? true : undefined),
    summary: Object.keys(summary).length === 0 ? undefined : summary,
    context: contextOf(config.chunk_enrichment_settings),
    excludedTypes: config.excluded_parsers,
  });
}

const strategies: Readonly<Record<string, SplitStrategy>> = {
  recursive: 'recursive',
  character: 'character',
  basic: 'structure',
  by_title: 'structure',
};

function contextOf(wire: IngestionConfig['chunk_enrichment_settings']): ContextSettings | false | undefined {
  if (wire?.enable_chunk_enrichment === undefined) return undefined;
  if (!wire.enable_chunk_enrichment) return false;
  return {
    neighbours: wire.n_chunks ?? defaultContext.neighbours,
    generation: wire.generation_config?.config ?? defaultContext.generation,
    ...(wire.chunk_enrichment_prompt !== undefined && { prompt: wire.chunk_enrichment_prompt }),
  };
}

/** A sentence for the response about settings that are not applied as requested; undefined if all are. */
export function ignoredSettingsNote(mode: IngestionMode | undefined, config: IngestionConfig): string | undefined {
  const namesParsers = [config.parser_overrides, config.extra_parsers].some(
    (each) => each && Object.keys(each).length > 0,
  );
  if (mode !== 'hi-res' && mode !== 'ocr' && !namesParsers) return undefined;
  return (
    'Pages with text are read as text; images and scanned pages are read if CITEWELL_READ_IMAGES names ' +
    'an image reader, regardless of the requested mode and parsers.'
  );
}
