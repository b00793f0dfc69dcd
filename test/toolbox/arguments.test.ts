import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../src/toolbox/call-tool.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { searchFileKnowledge } from '../../tools/rag/search-file-knowledge.ts';

const echo = (input: z.ZodObject) =>
  defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Says what it was given.',
    deadline: 1_000,
    input,
    output: z.object({ given: z.unknown() }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    execute: async (given) => ({ text: '', structured: { given } }),
  });

const context = { signal: new AbortController().signal } as ToolContext;

async function call(input: z.ZodObject, given: object) {
  const outcome = await callTool({ id: '1', name: 'echo', arguments: given as never }, [echo(input)], context);
  return outcome.isError ? outcome.text : outcome.output.structured['given'];
}

const search = z.object({
  query: z.string(),
  document_ids: z.array(z.string()).optional(),
  collections: z.array(z.string()).optional(),
  filters: z.record(z.string(), z.unknown()).optional(),
  limit: z.number().optional(),
});

describe('the arguments of a call', () => {
  it('are accepted under the names and in the shapes that models use, when unambiguous', async () => {
    const given = { question: 'x', document_id: 'ab12', collection: 'Sea', filter: { a: 1 }, max_results: '3' };
    expect(await call(search, given)).toEqual({
      query: 'x',
      document_ids: ['ab12'],
      collections: ['Sea'],
      filters: { a: 1 },
      limit: 3,
    });
    expect(await call(search, { query: 'x', doc_id: '["ab12","cd34"]' })).toMatchObject({
      document_ids: ['ab12', 'cd34'],
    });
    const urls = z.object({ urls: z.array(z.string()) });
    expect(await call(urls, { url: 'https://a.test' })).toEqual({ urls: ['https://a.test'] });
    const around = z.object({ around_chunk_id: z.string() });
    expect(await call(around, { chunk_id: 'c' })).toEqual({ around_chunk_id: 'c' });
  });

  it('are never dropped silently: an unknown one is reported with the nearest known name, and a missing one as missing', async () => {
    expect(await call(search, { query: 'x', limt: 3 })).toMatch(/limt: unknown argument; did you mean "limit"\?/);
    // A name unlike all of them would be a wrong suggestion.
    expect(await call(search, { query: 'x', foo: 3 })).toMatch(/foo: unknown argument\. The arguments are query/);
    expect(await call(search, {})).toMatch(/query: it is missing; expected a string/);
    expect(await call(z.object({}), { dummy: '' })).toEqual({});
  });

  it('can restrict every search to documents and collections', () => {
    expect(Object.keys(searchFileKnowledge.inputSchema['properties'] as object)).toEqual(
      expect.arrayContaining(['document_ids', 'collections', 'filters']),
    );
  });
});
