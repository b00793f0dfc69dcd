import type { TestDocument } from '../../src/evaluation/test-collection.ts';
import { analyseForIndex, analyseQuery } from '../../src/store/full-text/analyse.ts';

const K1 = 1.2;
const B = 0.75;

export interface FoundDocument {
  readonly document: TestDocument;
  readonly score: number;
}

/** An in-memory full-text search with the product's terms and formula; documents are not split. */
export function createDocumentSearch(documents: readonly TestDocument[]) {
  const postings = new Map<string, Map<number, number>>();
  const lengths = documents.map(({ text }, index) => {
    const terms = analyseForIndex({ title: '', headingPath: [], text }).body.split(' ');
    for (const term of terms) {
      const counts = postings.get(term) ?? new Map<number, number>();
      postings.set(term, counts.set(index, (counts.get(index) ?? 0) + 1));
    }
    return terms.length;
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);

  return (query: string, limit: number, isLeftOut: (document: TestDocument) => boolean): FoundDocument[] => {
    const scores = new Map<number, number>();
    for (const term of analyseQuery(query)) {
      const counts = postings.get(term) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [index, count] of counts) {
        const saturation = count + K1 * (1 - B + (B * (lengths[index] ?? 0)) / mean);
        scores.set(index, (scores.get(index) ?? 0) + (rarity * count * (K1 + 1)) / saturation);
      }
    }
    return [...scores]
      .flatMap(([index, score]) => {
        const document = documents[index];
        return document === undefined || isLeftOut(document) ? [] : [{ document, score }];
      })
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  };
}
