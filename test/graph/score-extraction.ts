import { readFileSync } from 'node:fs';
import type { ExtractedGraph, GraphExtractor } from '../../src/graph/graph.ts';
import { normalTerm } from '../../src/graph/normal-form.ts';

export interface LabelledChunk {
  readonly id: string;
  readonly language: string;
  /** Held out while the rules were developed. */
  readonly heldOut: boolean;
  readonly text: string;
  readonly entities: readonly { readonly name: string; readonly category: string | null }[];
  /** Optional entities, which count neither as missing nor as wrong. */
  readonly also: readonly string[];
  readonly relations: readonly {
    readonly subject: string;
    readonly predicates: readonly string[];
    readonly object: string;
  }[];
}

export interface Counts {
  found: number;
  wanted: number;
  right: number;
}

export interface Score {
  readonly entities: Counts;
  /** Over correct entities with a labelled category: number with a category, and with the correct one. */
  readonly categories: Counts;
  /** Stated relations; mere co-occurrences are not counted. */
  readonly relations: Counts;
  readonly faults: string[];
}

const FOLDER = new URL('../fixtures/graph/', import.meta.url);

export const labelledChunks = (): LabelledChunk[] =>
  JSON.parse(readFileSync(new URL('labelled-chunks.json', FOLDER), 'utf8')) as LabelledChunk[];

/** Extracts each text as a separate document and counts correct results. */
export async function scoreExtraction(extractor: GraphExtractor, chunks: readonly LabelledChunk[]): Promise<Score> {
  const none = (): Counts => ({ found: 0, wanted: 0, right: 0 });
  const score: Score = { entities: none(), categories: none(), relations: none(), faults: [] };
  for (const chunk of chunks) {
    const document = { title: '', chunks: [{ chunkId: chunk.id, text: chunk.text, headingPath: [] }] };
    addScore(score, chunk, await extractor.extract(document, new AbortController().signal));
  }
  return score;
}

function addScore({ entities, categories, relations, faults }: Score, chunk: LabelledChunk, graph: ExtractedGraph) {
  const names = new Map(
    graph.entities.flatMap((entity) => namesOf(entity).map((name) => [normalTerm(name), entity] as const)),
  );
  const also = new Set(chunk.also.map(normalTerm));
  const matched = new Set<unknown>();
  entities.wanted += chunk.entities.length;
  for (const { name, category } of chunk.entities) {
    const entity = names.get(normalTerm(name));
    if (entity === undefined) {
      faults.push(`${chunk.id}: misses "${name}"`);
      continue;
    }
    matched.add(entity);
    entities.right++;
    if (category === null) continue;
    categories.wanted++;
    if (entity.category === null) continue;
    categories.found++;
    if (entity.category === category) categories.right++;
    else faults.push(`${chunk.id}: "${name}" is ${category}, not ${entity.category}`);
  }
  const correct = graph.entities.filter(
    (entity) => matched.has(entity) || !namesOf(entity).some((name) => also.has(normalTerm(name))),
  );
  entities.found += correct.length;
  for (const entity of correct)
    if (!matched.has(entity)) faults.push(`${chunk.id}: invents "${entity.name}" (${entity.category})`);
  const canonical = (name: string): string => normalTerm(names.get(normalTerm(name))?.name ?? name);
  const left = new Set(chunk.relations);
  relations.wanted += chunk.relations.length;
  for (const { subject, predicate, object } of graph.relationships) {
    // Years are optional, as among the entities.
    if (predicate === 'occurs_with' || (also.has(normalTerm(object)) && /^\d|\d{4}$/.test(object))) continue;
    relations.found++;
    const same = [...left].find(
      (label) =>
        label.predicates.includes(predicate) &&
        canonical(label.subject) === normalTerm(subject) &&
        canonical(label.object) === normalTerm(object),
    );
    if (same === undefined) faults.push(`${chunk.id}: states ${subject} -${predicate}-> ${object}`);
    else {
      relations.right++;
      left.delete(same);
    }
  }
  for (const { subject, predicates, object } of left)
    faults.push(`${chunk.id}: lacks ${subject} -${predicates[0]}-> ${object}`);
}

const namesOf = ({ name, metadata }: ExtractedGraph['entities'][number]): string[] => [
  name,
  ...(Array.isArray(metadata['aliases']) ? metadata['aliases'].filter((alias) => typeof alias === 'string') : []),
];

export const precision = ({ right, found }: Counts): number => (found === 0 ? 1 : right / found);
export const recall = ({ right, wanted }: Counts): number => (wanted === 0 ? 1 : right / wanted);
