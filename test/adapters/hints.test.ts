import { expect, it } from 'vitest';
import { type HintFacts, hintsFor } from '../../src/adapters/hints.ts';
import { isFree, modelPrices } from '../../src/adapters/model-prices.ts';
import { loadConfig } from '../../src/config.ts';

const lexical = { name: 'builtin/lexical-hash-v1', isLexical: true };
const openai = { name: 'openai/text-embedding-3-small', isLexical: false };
const base: HintFacts = {
  model: 'openai/gpt',
  embedder: openai,
  preferredEmbedder: openai.name,
  embeddingModelSetting: undefined,
};

it.each<[string, Partial<HintFacts>, RegExp[]]>([
  ['nothing when all is as good as it gets', {}, []],
  ['the keys when no model answers', { model: 'builtin/extractive' }, [/OPENAI_API_KEY or ANTHROPIC_API_KEY/]],
  [
    'the embedding setting when search is by words and nothing better is configured',
    { embedder: lexical, preferredEmbedder: lexical.name },
    [/CITEWELL_EMBEDDING_MODEL/],
  ],
  [
    'what the embedder in use knows when it was learned from the corpus',
    { embedder: { name: 'builtin/lsa-v1', isLexical: true, isLearned: true }, preferredEmbedder: lexical.name },
    [/embeddings learned from your documents.*OPENAI_API_KEY/],
  ],
  [
    'what the packaged embedder knows',
    { embedder: { name: 'builtin/static-v1', isLexical: true, isLearned: true }, preferredEmbedder: lexical.name },
    [/embeddings that come with Citewell.*OPENAI_API_KEY/],
  ],
  [
    'nothing of a setting that waits for passages to learn from',
    { embedder: lexical, embeddingModelSetting: 'builtin/lsa-v1', preferredEmbedder: 'builtin/lsa-v1' },
    [],
  ],
  ['reindex when a key came after the documents', { embedder: lexical }, [/citewell reindex --to openai/]],
  [
    'the setting that will stop the next start',
    { embeddingModelSetting: lexical.name },
    [/CITEWELL_EMBEDDING_MODEL is builtin\/lexical-hash-v1/],
  ],
  [
    'the model and not the address where only the address is set',
    { model: 'builtin/extractive', providers: ['ollama'] },
    [/^No language model is named.*CITEWELL_MODEL=ollama\/<name>/],
  ],
  [
    'no key where quotations and search by words are what the settings say',
    {
      model: 'builtin/extractive',
      modelSetting: 'builtin/extractive',
      providers: ['openai'],
      embedder: lexical,
      preferredEmbedder: lexical.name,
      embeddingModelSetting: lexical.name,
    },
    [/^Answers are quotations, because of CITEWELL_MODEL=builtin\/extractive\.$/],
  ],
  [
    'the price of summaries',
    { isSummarising: true },
    [/^openai\/gpt summarises each new document, which costs money\./],
  ],
  [
    'no price of summaries by a model that is free',
    { model: 'lmstudio/qwen', isSummarising: true, isFree: true },
    [/^lmstudio\/qwen summarises each new document, which takes time but costs nothing\./],
  ],
  ['what is wrong with the index', { indexProblem: 'Chroma is gone.' }, [/^Chroma is gone\.$/]],
])('hints name %s', (_, facts, expected) => {
  expect(hintsFor({ ...base, ...facts })).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});

it('models of servers on this machine are free, unless a price is set or the server is elsewhere', () => {
  const freeWith = (model: string, env: Readonly<Record<string, string>> = {}) =>
    isFree(model, modelPrices(loadConfig({ env, cwd: '/nowhere' })));
  expect(freeWith('lmstudio/qwen2.5-7b-instruct')).toBe(true);
  expect(freeWith('ollama/qwen3:8b')).toBe(true);
  expect(freeWith('openai/gpt-6-luna')).toBe(false);
  expect(freeWith('vllm/Qwen/Qwen3-32B', { CITEWELL_PROVIDERS: 'vllm=https://models.example.org/v1' })).toBe(false);
  const prices = JSON.stringify({ 'lmstudio/': { input: 1, output: 2 } });
  expect(freeWith('lmstudio/qwen2.5-7b-instruct', { CITEWELL_PRICES: prices })).toBe(false);
});
