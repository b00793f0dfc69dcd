import type { Json, Metadata } from '../documents/document.ts';
import { aliasesOf, createMerger } from './entity-merger.ts';
import type { Entity, ExtractedGraph, Mention, Relationship } from './graph.ts';

/** Maximum number of mentions kept per entity or relationship. */
const MAX_MENTIONS = 2_000;
const MAX_ALIASES = 16;

/**
 * Merges graphs, unifying the spellings of a name (see `createMerger`) under the most frequent one. Deterministic for a
 * given order, and idempotent.
 */
export function mergeGraphs(graphs: readonly ExtractedGraph[]): ExtractedGraph {
  const entities = graphs.flatMap((graph) => graph.entities);
  const merger = createMerger(entities);
  const groups = new Map<string, Entity[]>();
  for (const entity of entities) {
    const key = merger.keyOf(entity.name, entity.category);
    const group = groups.get(key);
    if (group) group.push(entity);
    else groups.set(key, [entity]);
  }
  const names = nameGroups(groups);
  const merged = [...groups].map(([key, group]) => mergeEntities(group, names.get(key) ?? ''));
  const relationships = new Map<string, Relationship[]>();
  for (const { entities: own, relationships: between } of graphs) {
    // A relationship refers to entities by name; their categories are those in its own graph.
    const categories = new Map(own.map(({ name, category }) => [name, category]));
    const nameOf = (name: string): string => names.get(merger.keyOf(name, categories.get(name) ?? null)) ?? name;
    for (const relationship of between) {
      const subject = nameOf(relationship.subject);
      const object = nameOf(relationship.object);
      if (subject === object) continue;
      const key = JSON.stringify([subject, relationship.predicate, object]);
      const same = relationships.get(key);
      const renamed = { ...relationship, subject, object };
      if (same) same.push(renamed);
      else relationships.set(key, [renamed]);
    }
  }
  return { entities: merged, relationships: [...relationships.values()].map(mergeRelationships) };
}

/**
 * Names each group by its most mentioned spelling; groups with the same spelling and different categories are
 * distinguished by appending the category.
 */
function nameGroups(groups: ReadonlyMap<string, readonly Entity[]>): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [key, group] of groups) {
    const name = mostUsed(group);
    const category = group.find((entity) => entity.category !== null)?.category ?? null;
    let free = name;
    for (let number = 2; taken.has(free); number++) {
      free = number === 2 && category !== null ? `${name} (${category})` : `${name} (${number})`;
    }
    taken.add(free);
    names.set(key, free);
  }
  return names;
}

function mostUsed(group: readonly Entity[]): string {
  const counts = new Map<string, number>();
  for (const { name, mentions } of group) counts.set(name, (counts.get(name) ?? 0) + Math.max(1, mentions.length));
  const [best] = [...counts].sort(([a, x], [b, y]) => y - x || b.length - a.length || (a < b ? -1 : 1));
  return best?.[0] ?? '';
}

function mergeEntities(group: readonly Entity[], name: string): Entity {
  const [first] = group;
  if (first !== undefined && group.length === 1) return first.name === name ? first : { ...first, name };
  const aliases = new Set<string>();
  for (const entity of group) for (const alias of [entity.name, ...aliasesOf(entity)]) aliases.add(alias);
  aliases.delete(name);
  const metadata: Record<string, Json> = allMetadata(group);
  if (aliases.size > 0) metadata['aliases'] = [...aliases].slice(0, MAX_ALIASES);
  return {
    name,
    category: mostCommonCategory(group),
    description: bestDescription(group),
    metadata,
    mentions: allMentions(group),
  };
}

function mostCommonCategory(group: readonly Entity[]): string | null {
  const counts = new Map<string, number>();
  for (const { category, mentions } of group) {
    if (category !== null) counts.set(category, (counts.get(category) ?? 0) + Math.max(1, mentions.length));
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? null;
}

/** The description from the graph with the most mentions; the first one on a tie. */
function bestDescription(group: readonly Entity[]): string {
  let best: Entity | undefined;
  for (const entity of group) {
    if (entity.description !== '' && (best === undefined || entity.mentions.length > best.mentions.length))
      best = entity;
  }
  return best?.description ?? '';
}

/** The first value of a key wins. */
function allMetadata(group: readonly { readonly metadata: Metadata }[]): Record<string, Json> {
  const all: Record<string, Json> = {};
  for (const { metadata } of group) {
    for (const [key, value] of Object.entries(metadata)) if (!Object.hasOwn(all, key)) all[key] = value;
  }
  return all;
}

/** The distinct mentions, up to the maximum number. */
function allMentions(group: readonly { readonly mentions: readonly Mention[] }[]): readonly Mention[] {
  const seen = new Set<string>();
  const all: Mention[] = [];
  for (const { mentions } of group) {
    for (const mention of mentions) {
      const key = `${mention.chunkId} ${mention.start} ${mention.end}`;
      if (seen.has(key)) continue;
      seen.add(key);
      all.push(mention);
      if (all.length === MAX_MENTIONS) return all;
    }
  }
  return all;
}

function mergeRelationships(same: readonly Relationship[]): Relationship {
  const [first] = same;
  if (first === undefined) throw new RangeError('No relationship to merge.');
  if (same.length === 1) return first;
  const heaviest = same.reduce((best, each) => (each.weight > best.weight ? each : best), first);
  // Repetition increases the weight, but only logarithmically.
  const weight = heaviest.weight + Math.log2(same.length) * (heaviest.weight < 1 ? heaviest.weight / 4 : 1);
  const bounded = heaviest.weight < 1 ? Math.min(weight, 0.99) : weight;
  return {
    ...heaviest,
    weight: Math.round(bounded * 1000) / 1000,
    metadata: allMetadata(same),
    mentions: allMentions(same),
  };
}
