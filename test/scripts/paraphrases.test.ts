import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { staticEmbeddings } from '../../src/embeddings/static/static-embeddings.ts';
import { openTestCollection, type TestDocument, type TestQuery } from '../../src/evaluation/test-collection.ts';
import { analyse } from '../../src/store/full-text/analyse.ts';
import { stopWords } from '../../src/store/full-text/stop-words.ts';

const FOLDER = fileURLToPath(new URL('../../scripts/evaluate/paraphrases', import.meta.url));

let documents: TestDocument[];
let queries: readonly TestQuery[];
beforeAll(async () => {
  const collection = await openTestCollection(FOLDER);
  documents = await Array.fromAsync(collection.documents());
  queries = collection.queries;
});

const contentWords = (text: string) => new Set(analyse(text).filter((term) => !stopWords.has(term)));

describe('the questions in other words', () => {
  it('are more than 100, and share no content word with the passages that answer them', () => {
    expect(queries.length).toBeGreaterThanOrEqual(100);
    const texts = new Map(documents.map(({ id, text }) => [id, text]));
    const shared = queries.flatMap(({ text, gains }) =>
      [...gains.keys()].flatMap((id) => {
        const words = [...contentWords(text).intersection(contentWords(texts.get(id) ?? ''))];
        return words.length > 0 ? [`${text} ${words.join()}`] : [];
      }),
    );
    expect(shared).toEqual([]);
  });

  it('are answered by the packaged embedder, and not by shared words', async () => {
    expect(await recallAt5(staticEmbeddings())).toBeGreaterThan(0.5);
    expect(await recallAt5(createLexicalHash())).toBeLessThan(0.25);
  });
});

async function recallAt5(model: EmbeddingModel): Promise<number> {
  const passages = await model.embed(
    documents.map(({ text }) => text),
    'passage',
  );
  const questions = await model.embed(
    queries.map(({ text }) => text),
    'query',
  );
  const found = queries.filter(({ gains }, at) => {
    const question = questions[at] ?? new Float32Array();
    const similarity = passages.map((passage, place) => ({
      id: documents[place]?.id ?? '',
      cosine: passage.reduce((sum, value, axis) => sum + value * (question[axis] ?? 0), 0),
    }));
    const best = similarity.sort((one, two) => two.cosine - one.cosine).slice(0, 5);
    return best.some(({ id }) => gains.has(id));
  });
  return found.length / queries.length;
}
