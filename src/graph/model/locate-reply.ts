import { findVerbatim } from '../../citations/find-verbatim.ts';
import { UNSPACED } from '../../shared/unspaced-scripts.ts';
import { foldLabel, foldLabels } from '../fold-label.ts';
import type { Entity, ExtractedGraph, GraphChunk, Mention, Relationship } from '../graph.ts';
import { normalForm } from '../normal-form.ts';
import type { ExtractionOptions } from './extraction-prompt.ts';
import { DEFAULT_MAX_RELATIONSHIPS } from './extraction-prompt.ts';
import type { ExtractionReply, ReplyEntity, ReplyRelationship } from './read-reply.ts';

const MAX_MENTIONS = 100;

/**
 * Locates a model's reply in its chunks. An entity that occurs in none of them, under its name or as written, is
 * dropped with its relationships. A relationship's mention is its quote; if the quote is not found, every chunk (as a
 * whole) that names both entities; without any, the relationship is dropped.
 */
export function locateReply(
  reply: ExtractionReply,
  chunks: readonly GraphChunk[],
  { entityTypes, relationTypes, maxRelationships = DEFAULT_MAX_RELATIONSHIPS }: ExtractionOptions,
): ExtractedGraph {
  const types = foldLabels(entityTypes);
  const predicates = foldLabels(relationTypes);
  const entities = new Map<string, Entity>();
  for (const item of reply.entities) {
    if (types && !types.has(foldLabel(item.category))) continue;
    const form = normalForm(item.name);
    const mentions = entityMentions(item, chunks);
    if (mentions.length > 0 && !entities.has(form)) entities.set(form, toEntity(item, mentions));
  }
  const relationships: Relationship[] = [];
  const seen = new Set<string>();
  for (const item of reply.relationships) {
    const subject = entities.get(normalForm(item.subject));
    const object = entities.get(normalForm(item.object));
    if (subject === undefined || object === undefined || subject === object) continue;
    if (predicates && !predicates.has(foldLabel(item.predicate))) continue;
    const key = JSON.stringify([subject.name, item.predicate, object.name]);
    const mentions = relationshipMentions(item, chunks, [subject, object]);
    if (mentions.length === 0 || seen.has(key) || relationships.length >= maxRelationships) continue;
    seen.add(key);
    const { predicate, description, weight } = item;
    relationships.push({
      subject: subject.name,
      predicate,
      object: object.name,
      description,
      weight,
      metadata: {},
      mentions,
    });
  }
  return { entities: [...entities.values()], relationships };
}

function toEntity(
  { name, as_written: written, category, description }: ReplyEntity,
  mentions: readonly Mention[],
): Entity {
  const isOther = written !== '' && normalForm(written) !== normalForm(name);
  return {
    name,
    category: category === '' || category === 'other' || category === 'unknown' ? null : category,
    description,
    metadata: isOther ? { aliases: [written] } : {},
    mentions,
  };
}

function entityMentions({ name, as_written: written }: ReplyEntity, chunks: readonly GraphChunk[]): Mention[] {
  const mentions = chunks.flatMap((chunk) => occurrences(chunk, name));
  if (mentions.length === 0 && written !== '') mentions.push(...chunks.flatMap((chunk) => occurrences(chunk, written)));
  return mentions.slice(0, MAX_MENTIONS);
}

/** Occurrences of a name at word boundaries, ignoring case and line breaks. */
function occurrences({ chunkId, text }: GraphChunk, name: string): Mention[] {
  const words = name.split(' ').map((word) => RegExp.escape(word));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${words.join('\\s+')}(?![\\p{L}\\p{N}])`, 'giu');
  const places = [...text.matchAll(UNSPACED.test(name) ? new RegExp(words.join('\\s*'), 'giu') : pattern)];
  return places
    .slice(0, MAX_MENTIONS)
    .map((match) => ({ chunkId, start: match.index, end: match.index + match[0].length }));
}

function relationshipMentions(
  item: ReplyRelationship,
  chunks: readonly GraphChunk[],
  of: readonly Entity[],
): Mention[] {
  const named = chunks[item.passage - 1];
  const order = named === undefined ? chunks : [named, ...chunks.filter((chunk) => chunk !== named)];
  for (const { chunkId, text } of item.quote === '' ? [] : order) {
    const span = findVerbatim(text, item.quote);
    if (span !== undefined) return [{ chunkId, start: span.start, end: span.end }];
  }
  const both = order.filter(({ chunkId }) =>
    of.every(({ mentions }) => mentions.some((mention) => mention.chunkId === chunkId)),
  );
  return both.map(({ chunkId, text }) => ({ chunkId, start: 0, end: text.length }));
}
