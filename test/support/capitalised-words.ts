import type { Entity, ExtractedGraph, GraphChunk, GraphExtractor, Relationship } from '../../src/graph/graph.ts';

/** A simple extractor: capitalised words are entities, and two adjacent ones in a sentence are related. */
export function capitalisedWords(chunks: readonly GraphChunk[]): ExtractedGraph {
  const entities = new Map<string, Entity>();
  const relationships = new Map<string, Relationship>();
  for (const { chunkId, text } of chunks) {
    for (const sentence of text.matchAll(/[^.]+/g)) {
      const words = [...sentence[0].matchAll(/\p{Lu}\p{L}+/gu)].map((word) => ({
        name: word[0],
        mention: { chunkId, start: sentence.index + word.index, end: sentence.index + word.index + word[0].length },
      }));
      for (const { name, mention } of words) {
        const known = entities.get(name)?.mentions ?? [];
        const description = entities.get(name)?.description ?? sentence[0].trim();
        entities.set(name, { name, category: 'thing', description, metadata: {}, mentions: [...known, mention] });
      }
      for (const [index, { name: subject }] of words.entries()) {
        const object = words[index + 1]?.name;
        if (object === undefined || object === subject) continue;
        const key = `${subject} ${object}`;
        const mention = { chunkId, start: sentence.index, end: sentence.index + sentence[0].length };
        const known = relationships.get(key);
        relationships.set(key, {
          subject,
          predicate: 'beside',
          object,
          description: sentence[0].trim(),
          weight: (known?.weight ?? 0) + 1,
          metadata: {},
          mentions: [...(known?.mentions ?? []), mention],
        });
      }
    }
  }
  return { entities: [...entities.values()], relationships: [...relationships.values()] };
}

export const capitalExtractor: GraphExtractor = {
  name: 'test/capitals',
  extract: async ({ chunks }) => capitalisedWords(chunks),
};
