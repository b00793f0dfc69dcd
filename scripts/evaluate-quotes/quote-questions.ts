import { createHash } from 'node:crypto';
import type { TestCollection, TestDocument, TestQuery } from '../../src/evaluation/test-collection.ts';
import type { SourceText } from '../../src/models/extractive/choose-quotes.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { createDocumentSearch } from './document-search.ts';

export type Half = 'tune' | 'held';

/** Assigns a question to a half by a hash of its identifier. */
export const halfOf = (id: string): Half =>
  ((createHash('sha256').update(id).digest()[0] ?? 0) & 1) === 0 ? 'tune' : 'held';

/** What is removed from the corpus before a question is asked. */
export type Away = 'nothing' | 'document' | 'article';

export interface QuoteCase {
  readonly away: Away;
  /** Size of a corpus from the article of the answering document; 0 means all documents of the collection. */
  readonly documents: number;
  readonly hasTitles: boolean;
  readonly hasScores: boolean;
  readonly limit: number;
}

/** Finds sources for the questions of a collection, with the answering document or its article present or removed. */
export async function createSourceFinder(collection: TestCollection) {
  const documents = await Array.fromAsync(collection.documents());
  const titles = new Map(documents.map(({ id, title }) => [id, title]));
  const searches = new Map([['', createDocumentSearch(documents)]]);
  return ({ text, gains }: TestQuery, { away, ...given }: QuoteCase): SourceText[] => {
    const articles = new Set([...gains.keys()].map((id) => titles.get(id)).filter((title) => title !== ''));
    const isLeftOut = ({ id, title }: TestDocument) =>
      away !== 'nothing' && (gains.has(id) || (away === 'article' && articles.has(title)));
    const few = given.documents === 0 ? undefined : fewOf(documents, gains, isLeftOut, given.documents);
    const key = few?.map(({ id }) => id).join('\n') ?? '';
    const search = searches.get(key) ?? createDocumentSearch(few ?? documents);
    searches.set(key, search);
    return search(text, given.limit, isLeftOut).map(({ document, score }) => ({
      text: document.text,
      about: given.hasTitles ? document.title : '',
      ...(given.hasScores && { score }),
    }));
  };
}

/** A small corpus for one question, taken from the article of the document that answers it. */
function fewOf(
  documents: readonly TestDocument[],
  gains: ReadonlyMap<string, number>,
  isLeftOut: (document: TestDocument) => boolean,
  size: number,
): readonly TestDocument[] {
  const answering = documents.find(({ id }) => gains.has(id));
  const others = documents.filter(({ id, title }) => !gains.has(id) && title === answering?.title);
  const given = answering === undefined || isLeftOut(answering) ? others : [answering, ...others];
  return given.slice(0, size);
}

/** Whether the text contains one of the answers, ignoring white space and case. */
export const holdsAnswer = (text: string, { answers }: TestQuery): boolean =>
  answers.some((answer) => plain(text).includes(plain(answer)));

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** The product's text analysis, memoised because many questions analyse the same texts. */
export const createAnalyser = () => ({ analyse: remembering(analyse), analyseQuery: remembering(analyseQuery) });

function remembering(read: (text: string) => readonly string[]): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const terms = known.get(text) ?? read(text);
    known.set(text, terms);
    return terms;
  };
}
