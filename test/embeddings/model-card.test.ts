import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToTokens, maxTokens } from '../../src/embeddings/cut-text.ts';
import { modelCard } from '../../src/embeddings/model-card.ts';
import { unitVector } from '../../src/embeddings/unit-vector.ts';

describe('a model card', () => {
  it.each([
    ['Xenova/multilingual-e5-small', 'query: ', 'passage: ', 'mean'],
    ['/models/e5-base-v2', 'query: ', 'passage: ', 'mean'],
    ['intfloat/multilingual-e5-large-instruct', 'Instruct: ', '', 'mean'],
    ['Xenova/bge-small-en-v1.5', 'Represent this sentence', '', 'cls'],
    ['nomic-embed-text:latest', 'search_query: ', 'search_document: ', 'mean'],
    ['Snowflake/snowflake-arctic-embed-m-v2.0', 'query: ', '', 'cls'],
    ['Snowflake/snowflake-arctic-embed-m', 'Represent this sentence', '', 'cls'],
    ['onnx-community/Qwen3-Embedding-0.6B-ONNX', 'Instruct: ', '', 'last_token'],
    ['Xenova/all-MiniLM-L6-v2', '', '', 'mean'],
    ['text-embedding-3-small', '', '', 'mean'],
  ])('of %s is known', (name, query, passage, pooling) => {
    const card = modelCard(name);
    expect(card.prefixes.query.startsWith(query)).toBe(true);
    expect(card.prefixes.query === '').toBe(query === '');
    expect(card.prefixes.passage).toBe(passage);
    expect(card.pooling).toBe(pooling);
  });
});

describe('cutting a text', () => {
  it('gives a well-formed prefix within the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 1, max: 60 }), (text, tokens) => {
        const cut = cutToTokens(text, tokens);
        expect(text.startsWith(cut)).toBe(true);
        expect(maxTokens(cut)).toBeLessThanOrEqual(tokens);
        expect(cut.isWellFormed()).toBe(true);
        if (maxTokens(text) <= tokens) expect(cut).toBe(text);
      }),
    );
  });
});

describe('a unit vector', () => {
  it('has length one and the same direction', () => {
    expect(unitVector([3, 4])).toEqual(Float32Array.of(0.6, 0.8));
  });

  it.each([[[0, 0]], [[Number.NaN, 1]], [[Number.POSITIVE_INFINITY]], [[]]])('is refused for %j', (numbers) => {
    expect(unitVector(numbers)).toBeUndefined();
  });
});
