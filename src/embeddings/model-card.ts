import type { Pooling } from '../local-models/pooling.ts';

/** How a model is to be used for retrieval, according to its model card. */
export interface ModelCard {
  /** Prefixes prepended to each text. */
  readonly prefixes: { readonly passage: string; readonly query: string };
  readonly pooling: Pooling;
  /** Share of full text in hybrid search, if another value than the default was measured to be better. */
  readonly fullTextShare?: number;
}

const REPRESENT = 'Represent this sentence for searching relevant passages: ';
const INSTRUCT = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ';

const prefixes = (query: string, passage = '') => ({ passage, query });

/** Known models by name; the first match applies. */
const CARDS: readonly (ModelCard & { readonly name: RegExp })[] = [
  { name: /e5-.*instruct/, prefixes: prefixes(INSTRUCT), pooling: 'mean' },
  // Tuned on one half of the test collections' questions (docs/quality.md).
  {
    name: /multilingual-e5-/,
    prefixes: prefixes('query: ', 'passage: '),
    pooling: 'mean',
    fullTextShare: 0.4,
  },
  { name: /(^|[-_/])e5-/, prefixes: prefixes('query: ', 'passage: '), pooling: 'mean' },
  { name: /bge-(small|base|large)-en/, prefixes: prefixes(REPRESENT), pooling: 'cls' },
  { name: /bge-(small|base|large)-zh/, prefixes: prefixes('为这个句子生成表示以用于检索相关文章：'), pooling: 'cls' },
  { name: /bge-m3/, prefixes: prefixes(''), pooling: 'cls' },
  { name: /nomic-embed-text/, prefixes: prefixes('search_query: ', 'search_document: '), pooling: 'mean' },
  { name: /mxbai-embed/, prefixes: prefixes(REPRESENT), pooling: 'cls' },
  { name: /arctic-embed.*v2/, prefixes: prefixes('query: '), pooling: 'cls' },
  { name: /arctic-embed/, prefixes: prefixes(REPRESENT), pooling: 'cls' },
  {
    name: /embeddinggemma/,
    prefixes: prefixes('task: search result | query: ', 'title: none | text: '),
    pooling: 'mean',
  },
  { name: /qwen3-embedding/, prefixes: prefixes(INSTRUCT), pooling: 'last_token' },
];

/** Looks up the model by any part of its name; an unknown model gets no prefixes and mean pooling. */
export function modelCard(name: string): ModelCard {
  const known = CARDS.find((card) => card.name.test(name.toLowerCase()));
  if (known === undefined) return { prefixes: prefixes(''), pooling: 'mean' };
  const { name: _, ...card } = known;
  return card;
}
