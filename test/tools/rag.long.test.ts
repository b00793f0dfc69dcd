import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Filter } from '../../src/documents/filter.ts';
import { noUsage } from '../../src/models/model.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import type { Tool, ToolOutput } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { content } from '../../tools/rag/content.ts';
import { getFileContent } from '../../tools/rag/get-file-content.ts';
import { searchFileDescriptions } from '../../tools/rag/search-file-descriptions.ts';
import { searchFileKnowledge } from '../../tools/rag/search-file-knowledge.ts';
import { rag } from '../../tools/research/rag.ts';
import { addDocument } from '../support/agent-over-store.ts';
import { type Caller, callerOver } from '../support/call-over-store.ts';
import { newDocument } from '../support/new-document.ts';
import { openTestStore, type TestStore } from '../support/store.ts';

const titled = (value: string): Filter => ({ kind: 'compare', field: 'title', op: 'eq', value });
const chunkTexts = (count: number, word: string) =>
  Array.from({ length: count }, (_, order) => `Passage ${order} speaks of ${word} and of number ${order * 7}.`);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Calls a tool repeatedly with the cursor of its structured output; every page must match its schema and its text. */
async function pages(caller: Caller, tool: Tool, given: object): Promise<ToolOutput[]> {
  const all: ToolOutput[] = [];
  for (let cursor: unknown; ; ) {
    const page = await caller.result(tool, { ...given, ...(cursor === undefined ? {} : { cursor }) });
    all.push(page);
    if (tool.outputSchema !== null) {
      const fits = z
        .fromJSONSchema(tool.outputSchema as Parameters<typeof z.fromJSONSchema>[0])
        .safeParse(page.structured);
      expect(fits.error).toBeUndefined();
    }
    cursor = page.structured['next_cursor'];
    // Either form alone is sufficient to continue.
    if (cursor === undefined) {
      expect(page.text).toMatch(/\nEnd of /);
      return all;
    }
    expect(page.text).toContain(`cursor="${cursor}"`);
    if (all.length > 200) throw new Error('The pages do not end.');
  }
}

const listOf = (page: ToolOutput, member: string) => page.structured[member] as readonly Record<string, unknown>[];

describe('on an empty corpus', () => {
  const given: readonly (readonly [Tool, object])[] = [
    [searchFileKnowledge, { query: 'tea' }],
    [searchFileDescriptions, { query: 'tea' }],
    [searchFileDescriptions, {}],
    [content, { document_id: UNKNOWN }],
    [content, { around_chunk_id: UNKNOWN }],
    [getFileContent, { document_id: 'tea-time' }],
    [rag, { query: 'What is tea?' }],
  ];

  it.each(given.map(([tool, input]) => [tool.name, JSON.stringify(input), tool, input] as const))(
    '%s says so, and what to do: %s',
    async (_name, _json, tool, input) => {
      const store = await openTestStore();
      const asks = { ask: () => Promise.reject(new Error('Nobody is asked.')) };
      const inAgent = await callerOver(store, asks).call(tool, input);
      const text = (outcome: typeof inAgent) => (outcome.isError ? outcome.text : outcome.output.text);
      expect(text(inAgent)).toMatch(
        /The corpus is empty\. Searching with other words will not help\. .*citewell ingest PATH/,
      );
      const ingestion = {} as NonNullable<ToolContext['ingestion']>;
      expect(text(await callerOver(store, { ...asks, ingestion }).call(tool, input))).toContain(
        'the tools ingest_file',
      );
    },
  );

  it('the result names an empty filter and pending documents as other reasons', async () => {
    const store = await openTestStore();
    const hidden = callerOver(store, { visible: titled('Tea') });
    expect((await hidden.result(searchFileKnowledge, { query: 'tea' })).text).toContain(
      'or this request has no access to any of its documents',
    );
    await store.corpus.begin(newDocument('Tea'));
    const { text } = await callerOver(store).result(searchFileDescriptions, { query: 'nothing like it' });
    expect(text).toMatch(/^One document is still being ingested/);
  });
});

describe('search_file_knowledge', () => {
  async function open(): Promise<{ store: TestStore; caller: Caller }> {
    const store = await openTestStore();
    await addDocument(store, 'Tea', chunkTexts(30, 'tea'));
    await addDocument(store, 'Coffee', chunkTexts(30, 'coffee'), { metadata: { year: 2020 } });
    return { store, caller: callerOver(store) };
  }

  it('returns passages by rank, each with what is needed to cite it and to read on', async () => {
    const { caller } = await open();
    const { text, structured, sources } = await caller.result(searchFileKnowledge, {
      query: 'tea number 21',
      limit: 2,
    });
    expect(structured).toMatchObject({
      query: 'tea number 21',
      mode: 'hybrid',
      results: [
        { rank: 1, marker: '[1]', title: 'Tea' },
        { rank: 2, marker: '[2]' },
      ],
    });
    const [first] = listOf({ text, structured }, 'results');
    expect(first?.['text']).toBe('Passage 3 speaks of tea and of number 21.');
    for (const member of ['text', 'marker']) expect(text).toContain(String(first?.[member]));
    expect(text).toMatch(/^\[1\] Tea · [0-9a-f]{8}:3\n/);
    expect(text).toContain('Coverage 1.00.');
    expect(sources).toHaveLength(2);
    expect(caller.sources.get(1)).toMatchObject({ kind: 'chunk', chunk: { id: first?.['chunk_id'] } });
  });

  it.each([
    { query: 'tea', limit: 7 },
    { query: 'tea', limit: 50, max_chars: 900 },
    { query: 'tea', mode: 'semantic', limit: 13 },
    { query: 'tea', mode: 'full_text', limit: 4 },
    { query: 'tea or coffee', max_per_document: 5, limit: 3 },
    { query: 'tea', filters: { title: { $eq: 'Tea' } }, limit: 9 },
  ])('pages to the end without gaps or repeats: %o', async (given) => {
    const { caller } = await open();
    const all = await pages(caller, searchFileKnowledge, given);
    const results = all.flatMap((page) => listOf(page, 'results'));
    expect(results.map(({ rank }) => rank)).toEqual(results.map((_, place) => place + 1));
    const ids = results.map(({ chunk_id }) => chunk_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(
      'max_per_document' in given ? 10 : given.mode === 'full_text' || 'filters' in given ? 30 : 60,
    );
    if ('max_chars' in given) for (const { text } of all) expect(text.length).toBeLessThanOrEqual(900);
  });

  it('is limited to what the request may see, whatever filter the model adds', async () => {
    const { store } = await open();
    const caller = callerOver(store, { visible: titled('Tea') });
    const open_ = await caller.result(searchFileKnowledge, { query: 'coffee', limit: 50 });
    expect(new Set(listOf(open_, 'results').map(({ title }) => title))).toEqual(new Set(['Tea']));
    const none = await caller.result(searchFileKnowledge, { query: 'coffee', filters: { title: { $eq: 'Coffee' } } });
    expect(none.structured['results']).toEqual([]);
    expect(none.text).toMatch(/^No document has title "Coffee"; it is "Tea"\./);
  });

  it('lists existing fields and values when a filter has unknown ones', async () => {
    const { caller } = await open();
    const textFor = async (filters: object) =>
      (await caller.result(searchFileKnowledge, { query: 'tea', filters })).text;
    expect(await textFor({ 'metadata.yeer': { $eq: 2020 } })).toMatch(
      /^No document has the field "metadata.yeer"\. Fields: document_type, title, created_at, metadata.year\./,
    );
    expect(await textFor({ $and: [{ title: { $eq: 'Cofee' } }] })).toMatch(
      /^No document has title "Cofee"; it is "(Tea|Coffee)", "(Tea|Coffee)"\./,
    );
    expect(await textFor({ 'metadata.year': { $gt: 2021 } })).toMatch(/^No passage matches/);
  });

  it('uses the limit of the request when the model gives none', async () => {
    const { store } = await open();
    const caller = callerOver(store, {
      settings: { ...defaultSearchSettings, limit: 3, hybrid: { fullTextLimit: 20 } },
    });
    expect(listOf(await caller.result(searchFileKnowledge, { query: 'tea' }), 'results')).toHaveLength(3);
  });

  it('refuses a cursor of other arguments, and an unknown operator', async () => {
    const { caller } = await open();
    const { structured } = await caller.result(searchFileKnowledge, { query: 'tea', limit: 2 });
    const other = await caller.failure(searchFileKnowledge, { query: 'coffee', cursor: structured['next_cursor'] });
    expect(other).toMatch(/^Error \[invalid_argument\]: The cursor does not belong to these arguments/);
    const strange = await caller.failure(searchFileKnowledge, { query: 'tea', filters: { title: { $near: 'x' } } });
    expect(strange).toMatch(/^Error \[invalid_argument\]: .*\$near/);
  });

  it('accepts the names and spellings that models use', async () => {
    const { caller } = await open();
    for (const given of [{ question: 'tea', top_k: '2' }, '{"query": "tea", "limit": 2}', { q: 'tea', n_results: 2 }]) {
      expect(listOf(await caller.result(searchFileKnowledge, given), 'results')).toHaveLength(2);
    }
  });

  it('truncates a too long passage, says how to read on, and numbers only what is shown', async () => {
    const store = await openTestStore();
    await addDocument(store, 'Long', ['Short beginning.', `tea ${'leaf '.repeat(3000)}end`]);
    const caller = callerOver(store);
    const page = await caller.result(searchFileKnowledge, { query: 'tea leaf', max_chars: 1000, limit: 5 });
    const [first] = listOf(page, 'results');
    expect(page.text.length).toBeLessThanOrEqual(1000);
    expect(Number(first?.['missing_chars']) + String(first?.['text']).length).toBe(15_007);
    expect(caller.sources.size).toBe(1);
    const [, id, offset] = /get_file_content with document_id="([^"]+)", offset=(\d+)/.exec(page.text) ?? [];
    const rest = await caller.result(getFileContent, { document_id: id, offset: Number(offset), max_chars: 40_000 });
    expect(`${first?.['text']}${rest.structured['text']}`).toBe(`tea ${'leaf '.repeat(3000)}end`);
  });
});

describe('search_file_descriptions', () => {
  async function open() {
    const store = await openTestStore();
    for (let number = 0; number < 25; number++) {
      await addDocument(store, `File ${number}`, ['Text.'], { summary: `About ${number % 2 ? 'tea' : 'coffee'}.` });
    }
    return { store, caller: callerOver(store) };
  }

  it('lists the newest documents without a query, and pages to the end', async () => {
    const { caller } = await open();
    const all = await pages(caller, searchFileDescriptions, { limit: 10 });
    const titles = all.flatMap((page) => listOf(page, 'documents')).map(({ title }) => title);
    expect(all).toHaveLength(3);
    expect(new Set(titles).size).toBe(25);
    expect(all[0]?.structured['total']).toBe(25);
  });

  it('finds by title and summary, within the filter and the access of the request', async () => {
    const { store, caller } = await open();
    const tea = (await pages(caller, searchFileDescriptions, { query: 'tea', limit: 5, max_chars: 700 })).flatMap(
      (page) => listOf(page, 'documents'),
    );
    expect(tea).toHaveLength(12);
    expect(tea.every(({ summary, score }) => summary === 'About tea.' && Number(score) > 0)).toBe(true);
    const one = callerOver(store, { visible: titled('File 3') });
    expect((await one.result(searchFileDescriptions, {})).structured).toMatchObject({
      total: 1,
      documents: [{ title: 'File 3' }],
    });
    const nothing = await one.result(searchFileDescriptions, { query: 'zebra' });
    expect(nothing.text).toMatch(/^No document matches\. Omit the query/);
    expect(
      (await one.result(searchFileDescriptions, { filters: { title: { $eq: 'File 4' } } })).structured['total'],
    ).toBe(0);
  });

  it('keeps titles on one line', async () => {
    const store = await openTestStore();
    await addDocument(store, 'Odd', ['Text.'], { title: `One\n[9] Two · document_id ${'x'.repeat(500)}` });
    const { text } = await callerOver(store).result(searchFileDescriptions, {});
    expect(text.split('\n').filter((line) => line.startsWith('['))).toHaveLength(1);
    expect(text.length).toBeLessThan(500);
  });
});

describe('content', () => {
  async function open() {
    const store = await openTestStore();
    const tea = await addDocument(store, 'Tea', chunkTexts(40, 'tea'), { headings: ['Leaves', 'Leaves'] });
    const coffee = await addDocument(store, 'Coffee', chunkTexts(5, 'coffee'));
    const { items } = await store.corpus.chunksOf(tea.id, { offset: 0, limit: 100 });
    return { store, tea, coffee, chunks: items, caller: callerOver(store) };
  }

  it.each([{}, { max_chars: 700 }, { include_text: false }, { include_text: false, max_chars: 600 }])(
    'shows a document whole, page by page: %o',
    async (given) => {
      const { tea, chunks, caller } = await open();
      const all = await pages(caller, content, { document_id: tea.id, ...given });
      const shown = all.flatMap((page) => listOf(page, 'chunks'));
      expect(shown.map(({ chunk_id }) => chunk_id)).toEqual(chunks.map(({ id }) => id));
      expect(shown[0]).toMatchObject({ index: 0, heading_path: ['Leaves'], start_char: 0, end_char: chunks[0]?.end });
      expect(shown.every((chunk) => 'text' in chunk === !('include_text' in given))).toBe(true);
      for (const { text } of all) expect(text.length).toBeLessThanOrEqual(given.max_chars ?? 8000);
      expect(caller.sources.size).toBe(40);
    },
  );

  it('shows a chunk with its neighbours, also at the ends of the document', async () => {
    const { chunks, caller } = await open();
    const around = async (order: number, given: object) => {
      const page = await caller.result(content, { around_chunk_id: chunks[order]?.id, ...given });
      return listOf(page, 'chunks').map(({ index }) => index);
    };
    expect(await around(10, {})).toEqual([8, 9, 10, 11, 12]);
    expect(await around(0, { before: 3, after: 1 })).toEqual([0, 1]);
    expect(await around(39, { before: 1, after: 10 })).toEqual([38, 39]);
    expect(await around(5, { before: 0, after: 0 })).toEqual([5]);
  });

  it('reports an inaccessible chunk or document like a missing one', async () => {
    const { store, tea, chunks } = await open();
    const caller = callerOver(store, { visible: titled('Coffee') });
    const same = async (tool: Tool, given: (id: string) => object, real: string) =>
      expect((await caller.failure(tool, given(real))).replaceAll(real, 'ID')).toBe(
        (await caller.failure(tool, given(UNKNOWN))).replaceAll(UNKNOWN, 'ID'),
      );
    await same(content, (around_chunk_id) => ({ around_chunk_id }), chunks[0]?.id ?? '');
    await same(content, (document_id) => ({ document_id }), tea.id);
    await same(getFileContent, (document_id) => ({ document_id }), tea.id);
  });

  it('accepts a unique prefix of an identifier, and lists the candidates of an ambiguous one', async () => {
    const { tea, caller } = await open();
    const page = await caller.result(content, { document_id: tea.id.slice(0, 8).toUpperCase() });
    expect(page.structured['document_id']).toBe(tea.id);
    const store = await openTestStore();
    const id = (last: number) => `abcdef01-0000-5000-8000-00000000000${last}`;
    await addDocument(store, 'One', ['1'], { id: id(1) });
    await addDocument(store, 'Two', ['2'], { id: id(2) });
    const other = callerOver(store);
    expect(await other.failure(content, { document_id: 'abcdef01' })).toMatch(
      /is the beginning of 2 identifiers: .*\((One|Two)\)/,
    );
    expect((await other.result(content, { document_id: id(2) })).structured['title']).toBe('Two');
  });

  it.each(['____', '%%%%', 'Tea leaves', UNKNOWN, "x' or 1=1"])(
    'finds no document named %s, and suggests similar ones',
    async (given) => {
      const { caller } = await open();
      const text = await caller.failure(content, { document_id: given });
      expect(text).toMatch(/^Error \[not_found\]: No document .* Next step: Search for the right identifier first\.$/);
      if (given === 'Tea leaves') expect(text).toContain('(Tea)');
    },
  );

  it('requires a document or a chunk', async () => {
    const { caller } = await open();
    expect(await caller.failure(content, {})).toMatch(
      /^Error \[invalid_argument\]: Neither document_id nor around_chunk_id/,
    );
  });
});

describe('get_file_content', () => {
  const text = chunkTexts(100, 'tea').join('\n\n');
  const half = text.indexOf('Passage 50');
  const pagesOfText = [
    { number: 1, start: 0, end: half },
    { number: 2, start: half, end: text.length },
  ];
  async function open() {
    const store = await openTestStore();
    const document = await addDocument(store, 'Tea', chunkTexts(100, 'tea'), { pages: pagesOfText });
    return { store, document, caller: callerOver(store) };
  }

  it('names the columns of the table that the text begins within', async () => {
    const rows = Array.from({ length: 300 }, (_, row) => `| ART-${row} | Alvik | ${row} |`);
    const sheet = [
      'Stock of the works',
      ['| Article | Warehouse | Stock \\| boxes |', '| --- | --- | --- |', ...rows].join('\n'),
    ];
    const store = await openTestStore();
    const { id: document_id } = await addDocument(store, 'stock.xlsx', [...sheet, 'Counted in March.']);
    const caller = callerOver(store);
    const first = await caller.result(getFileContent, { document_id, max_chars: 2_000 });
    expect(first.structured).not.toHaveProperty('table_columns');
    const next = await caller.result(getFileContent, { document_id, offset: first.structured['next_offset'] });
    expect(next.structured).toMatchObject({ table_columns: ['Article', 'Warehouse', 'Stock | boxes'] });
    expect(next.text).toMatch(/\nBegins inside a table with the columns Article \| Warehouse \| Stock \| boxes\n\n/);
    const { total_chars: total } = next.structured;
    const last = await caller.result(getFileContent, { document_id, offset: Number(total) - 10 });
    expect(last.structured).not.toHaveProperty('table_columns');
  });

  it('reads a text consecutively without a gap, for any part size', async () => {
    const { document, caller } = await open();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 500, max: 5000 }), async (max_chars) => {
        let read = '';
        for (let offset: unknown = 0; offset !== undefined; ) {
          const page = await caller.result(getFileContent, { document_id: document.id, offset, max_chars });
          expect(page.text.length).toBeLessThanOrEqual(max_chars);
          expect(page.structured['offset']).toBe(read.length);
          read += String(page.structured['text']);
          offset = page.structured['next_offset'];
          if (offset === undefined) expect(page.text).toContain('End of the selection.');
          else expect(page.text).toContain(`offset=${offset}`);
        }
        expect(read).toBe(text);
      }),
      { numRuns: 5 },
    );
  });

  it('calls the pages of a presentation slides', async () => {
    const store = await openTestStore();
    const text = 'The ferry is blue.\n\nThe crane is green.';
    const pages = [
      { number: 1, start: 0, end: 20 },
      { number: 2, start: 20, end: text.length },
    ];
    const { id: document_id } = await addDocument(store, 'Harbour', [text], { type: 'pptx', pages });
    const caller = callerOver(store);
    const found = await caller.result(searchFileKnowledge, { query: 'crane' });
    expect(found.text).toMatch(/^\[1\] Harbour · slides 1-2 · /);
    expect(listOf(found, 'results')[0]).toMatchObject({ document_type: 'pptx', page: 1 });
    const outline = await caller.result(content, { document_id, include_text: false });
    expect(outline.text).toContain('chunk 0 · slide 1 · ');
    const read = await caller.result(getFileContent, { document_id, page_from: 2 });
    expect(read.text).toContain(' · slide 2 · ');
    expect(read.structured).toMatchObject({ pages: '2-2', place: 'slide 2', text: 'The crane is green.' });
    expect(await caller.failure(getFileContent, { document_id, page_from: 3 })).toContain(
      'There are no slides 3 to 3: it has slides 1 to 2',
    );
  });

  it('reads by pages', async () => {
    const { document, caller } = await open();
    const read = async (given: object) =>
      caller.result(getFileContent, { document_id: document.id, max_chars: 40_000, ...given });
    expect((await read({ page_from: 2 })).structured).toMatchObject({
      text: text.slice(half),
      pages: '2-2',
      offset: half,
    });
    expect((await read({ page_from: 1, page_to: 2 })).structured['text']).toBe(text);
    expect((await read({ page_to: 1 })).structured['text']).toBe(text.slice(0, half));
    expect((await read({ page_to: 1, max_chars: 500 })).text).toContain(', page_from=1, page_to=1.');
    expect((await read({ page_from: 2, offset: half + 8 })).structured['offset']).toBe(half + 8);
    expect(await caller.failure(getFileContent, { document_id: document.id, page_from: 3 })).toContain(
      'it has pages 1 to 2',
    );
    expect(await caller.failure(getFileContent, { document_id: document.id, page_from: 2, page_to: 1 })).toContain(
      'no pages 2 to 1',
    );
    expect(await caller.failure(getFileContent, { document_id: document.id, offset: 99_999 })).toContain(
      'The offset 99999 is past the end: the text goes from 0 to',
    );
  });

  it('never splits a character', async () => {
    const store = await openTestStore();
    const document = await addDocument(store, 'Faces', ['😀'.repeat(2000)]);
    const { structured } = await callerOver(store).result(getFileContent, { document_id: document.id, max_chars: 501 });
    expect(String(structured['text']).isWellFormed()).toBe(true);
    const next = await callerOver(store).result(getFileContent, { document_id: document.id, offset: 1 });
    expect(String(next.structured['text']).isWellFormed()).toBe(true);
  });

  it('makes each part a source, against which quotes are checked', async () => {
    const { document, caller } = await open();
    await caller.result(getFileContent, { document_id: document.id, max_chars: 1000 });
    await caller.result(getFileContent, { document_id: document.id, offset: 3000, max_chars: 1000 });
    await caller.result(getFileContent, { document_id: document.id, offset: 3000, max_chars: 1000 });
    expect(caller.sources.size).toBe(2);
    expect(caller.sources.get(2)).toMatchObject({ kind: 'document', passage: { start: 3000 } });
  });
});

describe('rag', () => {
  it('gives the sources of the answer their numbers in this conversation, and leaves code as it is', async () => {
    const store = await openTestStore();
    await addDocument(store, 'Tea', ['Tea is brewed from leaves.', 'Coffee is brewed from beans.']);
    const { items } = await store.corpus.list({ kind: 'all' }, { offset: 0, limit: 1 });
    const { items: chunks } = await store.corpus.chunksOf(items[0]?.id ?? '', { offset: 0, limit: 2 });
    const [tea, coffee] = chunks.map((chunk) => ({ kind: 'chunk' as const, chunk: { ...chunk, score: 0 } }));
    if (tea === undefined || coffee === undefined) throw new Error('The document has two chunks.');
    const caller = callerOver(store, {
      ask: async () => ({
        text: 'Tea is brewed from leaves [1]. Read it with `rows[1]` and `rows[2]`.',
        sources: new Map([[1, tea]]),
        model: 'test/model',
        usage: noUsage,
        isUntrusted: false,
      }),
    });
    await caller.result(content, { around_chunk_id: coffee.chunk.id, before: 0, after: 0 });
    const { structured } = await caller.result(rag, { query: 'What is tea made of?' });
    expect(structured).toMatchObject({
      generated_answer: 'Tea is brewed from leaves [2]. Read it with `rows[1]` and `rows[2]`.',
      citations: [{ id: 'cit.2', marker: '[2]', chunk_id: tea.chunk.id }],
    });
  });
});
