import { createHash } from 'node:crypto';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';
import type { Answerer } from '../../../src/rag/rag-event.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';

const DIMENSIONS = 16;

/** Vectors of hashed words. */
export const wordEmbeddings: EmbeddingModel = {
  name: 'test/words',
  isLexical: true,
  space: async () => ({ embedder: 'test/words', version: '1', dimensions: DIMENSIONS }),
  embed: async (texts) => texts.map(embedWords),
};

function embedWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of wordsOf(text)) {
    const slot = createHash('sha1').update(word).digest().readUInt8(0) % DIMENSIONS;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];

/** An answerer that quotes the best passage. */
export function quotingAnswerer(retriever: Retriever): Answerer {
  return {
    async *answer({ query, search }, signal) {
      const outcome = await retriever.search(query, search, signal);
      yield { type: 'search_results', outcome };
      const [chunk] = outcome.chunks;
      const text = chunk === undefined ? 'Nothing found.' : `${chunk.text} [1]`;
      yield { type: 'message', text };
      const span = { start: text.length - 3, end: text.length };
      const citations =
        chunk === undefined
          ? []
          : [{ id: 'cit.1', number: 1, source: { kind: 'chunk', chunk }, spans: [span], quotes: [chunk] } as const];
      for (const citation of citations) yield { type: 'citation', citation, isNew: true, span };
      yield {
        type: 'final_answer',
        answer: {
          text,
          citations,
          search: outcome,
          model: 'builtin/extractive',
          mode: 'extractive',
          stopReason: 'end',
          usage: { input: 0, cachedInput: 0, output: 0, reasoning: 0 },
        },
      };
    },
  };
}
