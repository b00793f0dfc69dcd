import { createHash } from 'node:crypto';
import { z } from 'zod';
import { foldLabel, foldLabels } from './fold-label.ts';
import type { ExtractedGraph } from './graph.ts';
import type { ExtractionOptions } from './model/extraction-prompt.ts';

/** Requested extractor and options, as stored with a queued document. */
export interface ExtractorOptions
  extends Pick<ExtractionOptions, 'entityTypes' | 'relationTypes' | 'maxRelationships'> {
  /** Undefined means the default extractor. */
  readonly model?: string | undefined;
  readonly chunksPerCall?: number | undefined;
}

const optionsSchema = z.object({
  model: z.string().optional(),
  entityTypes: z.array(z.string()).optional(),
  relationTypes: z.array(z.string()).optional(),
  maxRelationships: z.number().optional(),
  chunksPerCall: z.number().optional(),
});

/** Serialises the options to one line: the bare name if only a model is given, and null if nothing is. */
export function writeExtractorOptions({ model, ...options }: ExtractorOptions): string | null {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length === 0) return model ?? null;
  return JSON.stringify({ ...(model !== undefined && { model }), ...Object.fromEntries(given) });
}

export function readExtractorOptions(line: string | null): ExtractorOptions {
  if (line === null) return {};
  return line.startsWith('{') ? optionsSchema.parse(JSON.parse(line)) : { model: line };
}

/** The extractor's name including its options, so that results under other options are not reused. */
export function nameWithOptions(name: string, { model: _, ...options }: ExtractorOptions): string {
  const line = writeExtractorOptions(options);
  return line === null ? name : `${name}#${createHash('sha256').update(line).digest('hex').slice(0, 8)}`;
}

export const plainName = (name: string): string => name.replace(/#[\da-f]{8}$/, '');

/** Applies options to a graph whose extractor does not support them; the strongest relationships are kept. */
export function narrowGraph({ entities, relationships }: ExtractedGraph, options: ExtractorOptions): ExtractedGraph {
  const types = foldLabels(options.entityTypes);
  const predicates = foldLabels(options.relationTypes);
  const kept = types === undefined ? entities : entities.filter(({ category }) => types.has(foldLabel(category ?? '')));
  const names = new Set(kept.map(({ name }) => name));
  const fitting = relationships
    .filter(({ subject, object }) => names.has(subject) && names.has(object))
    .filter(({ predicate }) => predicates === undefined || predicates.has(foldLabel(predicate)));
  const max = options.maxRelationships ?? fitting.length;
  const weightiest = new Set([...fitting].sort((one, two) => two.weight - one.weight).slice(0, max));
  return { entities: kept, relationships: fitting.filter((each) => weightiest.has(each)) };
}
