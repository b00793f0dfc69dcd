import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/models/model.ts';
import { modelQueryVariants, readVariants } from '../../src/retrieval/rewrite-query.ts';

const request = { query: 'who wrote it', strategy: 'rag_fusion', count: 3 } as const;

describe('readVariants', () => {
  it('reads one variant per line without list markers', () => {
    const answer = '1. author of it\n2) its writer\n\n- who was it by\n* one too many';
    expect(readVariants(answer, request)).toEqual(['author of it', 'its writer', 'who was it by']);
  });

  it('drops the question itself, duplicates and lines without words', () => {
    expect(readVariants('who wrote it\n---\nauthor\nauthor', request)).toEqual(['author']);
  });
});

describe('modelQueryVariants', () => {
  it('calls the model and parses its text', async () => {
    const asked: string[] = [];
    const model: Model = {
      name: 'test/model',
      async *stream({ messages }) {
        asked.push(...messages.map((message) => message.text));
        yield { type: 'thinking', text: 'hm' };
        yield { type: 'text', text: 'author\nwri' };
        yield { type: 'text', text: 'ter' };
      },
    };
    const { signal } = new AbortController();
    expect(await modelQueryVariants(model).write(request, signal)).toEqual(['author', 'writer']);
    expect(asked.at(-1)).toBe('who wrote it');
    expect(asked[0]).toContain('3 other search queries');
  });
});
