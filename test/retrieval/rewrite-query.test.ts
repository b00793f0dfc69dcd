import { describe, expect, it } from 'vitest';
import { modelQueryVariants, readVariants } from '../../src/retrieval/rewrite-query.ts';
import { scriptedModel, thinks } from '../support/scripted-model.ts';

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
    const model = scriptedModel(thinks('hm', 'author\nwriter'));
    const { signal } = new AbortController();
    expect(await modelQueryVariants(model).write(request, signal)).toEqual(['author', 'writer']);
    const asked = model.requests[0]?.messages.map(({ text }) => text);
    expect(asked?.at(-1)).toBe('who wrote it');
    expect(asked?.[0]).toContain('3 other search queries');
  });
});
