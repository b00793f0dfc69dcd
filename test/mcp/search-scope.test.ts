import { expect, it } from 'vitest';
import { everything } from '../../src/documents/filter.ts';
import type { SearchSettings } from '../../src/retrieval/search-settings.ts';
import { textOf } from './support/citewell-mcp.ts';
import { startInProcess } from './support/in-process.ts';

it('a search is limited to the documents and collections it names, and reports unknown ones', async () => {
  const mcp = await startInProcess({ options: { write: true } });
  const client = await mcp.connect();
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  const add = async (title: string, collection: string) => {
    const text = `The harbour of ${title} opens at nine.`;
    const added = await call('ingest_text', { title, text, collection });
    return (added.structuredContent as { document_id: string }).document_id;
  };
  const skerry = await add('Skerry', 'North');
  await add('Tyree', 'South');
  for (const name of ['search_file_knowledge', 'search_file_descriptions']) {
    const found = async (args: object) => textOf(await call(name, { query: 'harbour Skerry Tyree', ...args }));
    const all = await found({});
    expect(all, name).toContain('Skerry');
    expect(all, name).toContain('Tyree');
    expect(await found({ document_id: skerry.slice(0, 8) }), name).not.toContain('Tyree');
    expect(await found({ collections: ['South'] }), name).not.toContain('Skerry ·');
    expect(await found({ collections: [] }), name).toContain('Skerry');
    expect(await found({ collection: 'East' }), name).toMatch(/Error \[not_found\].*East/);
    expect(await found({ document_ids: ['ffff0000'] }), name).toMatch(/Error \[not_found\]/);
  }
  const answer = async (args: object) => textOf(await call('rag', { query: 'When does the harbour open?', ...args }));
  expect(await answer({ document_id: skerry.slice(0, 8) })).not.toContain('Tyree');
  expect(await answer({ collection: 'South' })).toMatch(/harbour of Tyree opens at nine/);
  expect(await answer({ collection: 'South' })).not.toContain('Skerry');
  expect(await answer({ collection: 'East' })).toMatch(/Error \[not_found\].*East/);
});

it('a word that occurs outside the named collection is searched as it is written, other words are corrected', async () => {
  const mcp = await startInProcess({ options: { write: true } });
  const client = await mcp.connect();
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  for (const [place, collection] of [
    ['Tolmen', 'North'],
    ['Tolman', 'South'],
  ]) {
    await call('ingest_text', { title: 'Harbour', text: `The pier of ${place} opens at nine.`, collection });
  }
  const inSouth = async (query: string) =>
    textOf(await call('search_file_knowledge', { query, mode: 'full_text', collection: 'South' }));
  expect(await inSouth('Tolmon')).toContain('The pier of Tolman');
  expect(await inSouth('Tolmen')).not.toContain('The pier of Tolman');
});

it('rag tells the search what the caller may read, apart from the collection', async () => {
  const searches: SearchSettings[] = [];
  const mcp = await startInProcess({
    options: { write: true },
    change: ({ answerer }) => ({
      answerer: {
        answer(request, signal) {
          searches.push(request.search);
          return answerer.answer(request, signal);
        },
      },
    }),
  });
  const client = await mcp.connect();
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  await call('ingest_text', { title: 'Harbour', text: 'The pier of Tolmen opens at nine.', collection: 'North' });
  const answered = await call('rag', { query: 'When does the pier open?', collection: 'North' });
  expect(textOf(answered)).toContain('The pier of Tolmen opens at nine');
  const filter = { kind: 'overlap', field: 'collection_ids' };
  expect(searches).toEqual([
    expect.objectContaining({ filter: expect.objectContaining(filter), readable: everything }),
  ]);
});
