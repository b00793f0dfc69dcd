import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ExtractedGraph } from './graph.ts';
import type { ExtractionWishes } from './model/extraction-prompt.ts';

/** Who is to extract, and what: as it is kept with a document that waits. */
export interface ExtractorWish extends Pick<ExtractionWishes, 'entityTypes' | 'relationTypes' | 'maxRelationships'> {
  /** Undefined means the usual one. */
  readonly model?: string | undefined;
  readonly passagesPerCall?: number | undefined;
}

const wishSchema = z.object({
  model: z.string().optional(),
  entityTypes: z.array(z.string()).optional(),
  relationTypes: z.array(z.string()).optional(),
  maxRelationships: z.number().optional(),
  passagesPerCall: z.number().optional(),
});

/** One line; a wish for nothing but a model is its name, and for nothing at all null. */
export function writeExtractorWish({ model, ...wishes }: ExtractorWish): string | null {
  const said = Object.entries(wishes).filter(([, value]) => value !== undefined);
  if (said.length === 0) return model ?? null;
  return JSON.stringify({ ...(model !== undefined && { model }), ...Object.fromEntries(said) });
}

export function readExtractorWish(line: string | null): ExtractorWish {
  if (line === null) return {};
  return line.startsWith('{') ? wishSchema.parse(JSON.parse(line)) : { model: line };
}

/** The name of an extractor with wishes: what it found under others must not be taken for this. */
export function nameWithWishes(name: string, { model: _, ...wishes }: ExtractorWish): string {
  const line = writeExtractorWish(wishes);
  return line === null ? name : `${name}#${createHash('sha256').update(line).digest('hex').slice(0, 8)}`;
}

export const plainName = (name: string): string => name.replace(/#[\da-f]{8}$/, '');

/** What is left of a graph under wishes that its extractor does not know; the weightiest relationships stay. */
export function narrowGraph({ entities, relationships }: ExtractedGraph, wishes: ExtractorWish): ExtractedGraph {
  const types = folded(wishes.entityTypes);
  const predicates = folded(wishes.relationTypes);
  const kept = types === undefined ? entities : entities.filter(({ category }) => types.has(fold(category ?? '')));
  const names = new Set(kept.map(({ name }) => name));
  const fitting = relationships
    .filter(({ subject, object }) => names.has(subject) && names.has(object))
    .filter(({ predicate }) => predicates === undefined || predicates.has(fold(predicate)));
  const most = wishes.maxRelationships ?? fitting.length;
  const weightiest = new Set([...fitting].sort((one, two) => two.weight - one.weight).slice(0, most));
  return { entities: kept, relationships: fitting.filter((each) => weightiest.has(each)) };
}

const fold = (word: string): string =>
  word
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

const folded = (words: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  words === undefined || words.length === 0 ? undefined : new Set(words.map(fold));
