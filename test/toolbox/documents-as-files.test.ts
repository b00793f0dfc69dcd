import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Source } from '../../src/citations/citation.ts';
import type { NewDocument } from '../../src/store/corpus.ts';
import { documentsAsFiles } from '../../src/toolbox/documents-as-files.ts';
import { addDocument } from '../support/agent-over-store.ts';
import { openTestStore } from '../support/store.ts';

async function mount(documents: readonly Partial<NewDocument>[], availableBytes = 1_000) {
  const { corpus } = await openTestStore();
  const added = [];
  for (const [index, change] of documents.entries())
    added.push(await addDocument({ corpus }, `d${index}`, ['The text.'], change));
  const ids = added.map(({ id }) => id);
  const visible = { kind: 'all', filters: [] } as const;
  const mounted = await documentsAsFiles(ids, [], { library: corpus, visible, cite: () => 1, availableBytes });
  const files = mounted.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]);
  return { ids, files, mounted };
}

it('gives the original file of a document beside its text', async () => {
  const { ids, files, mounted } = await mount([
    { title: 'Report', fileName: 'report.csv', mediaType: 'text/csv', bytes: Buffer.from('a,b\n1,2') },
  ]);
  expect(files).toEqual([
    [`documents/${ids[0]}.txt`, 'The text.'],
    ['documents/report.csv', 'a,b\n1,2'],
  ]);
  expect(mounted.variables['documents']).toMatchObject([
    { path: `documents/${ids[0]}.txt`, file: 'documents/report.csv', file_name: 'report.csv', media_type: 'text/csv' },
  ]);
  expect(mounted.lines).toEqual([`[1] Report → documents/${ids[0]}.txt; original documents/report.csv`]);
});

it('makes names of originals safe and different, and names those that are too large', async () => {
  const { files, mounted } = await mount(
    [
      { fileName: 'Q3: results.csv', bytes: Buffer.from('1') },
      { fileName: 'Q3? results.csv', bytes: Buffer.from('2') },
      { fileName: '../up\n.csv', bytes: Buffer.from('3') },
      { fileName: 'large.csv', bytes: Buffer.alloc(2_000) },
    ],
    1_000,
  );
  expect(files.flatMap(([name]) => (name?.endsWith('.csv') ? [name] : []))).toEqual([
    'documents/Q3_ results.csv',
    'documents/Q3_ results (2).csv',
    'documents/.._up_.csv',
  ]);
  expect(mounted.lines[3]).toMatch(/; its file large\.csv is not given, 2\S* \S+ are too large$/);
  expect(mounted.variables['documents']).toMatchObject([{}, {}, {}, { file: null }]);
});

it('gives a text that is its own file once', async () => {
  const { files, mounted, ids } = await mount([{ bytes: Buffer.from('The text.') }]);
  expect(files).toHaveLength(1);
  expect(mounted.variables['documents']).toMatchObject([{ file: `documents/${ids[0]}.txt` }]);
});

it('does not read an original that is too large', async () => {
  const { corpus } = await openTestStore();
  const { id } = await addDocument({ corpus }, 'd', ['The text.'], {
    fileName: 'large.csv',
    bytes: Buffer.alloc(2_000),
  });
  const library = Object.assign(Object.create(corpus), { bytesOf: () => Promise.reject(new Error('read')) });
  const visible = { kind: 'all', filters: [] } as const;
  const { files, lines } = await documentsAsFiles([id], [], { library, visible, cite: () => 1, availableBytes: 1_000 });
  expect(files.map(({ name }) => name)).toEqual([`documents/${id}.txt`]);
  expect(lines).toEqual([expect.stringMatching(/large\.csv is not given, 2\S* \S+ are too large$/)]);
});

it('numbers chunks in the order of the list, whichever is found first', async () => {
  const { corpus } = await openTestStore();
  const { id } = await addDocument({ corpus }, 'd', ['The first.', 'The second.']);
  const { items } = await corpus.chunksOf(id, { offset: 0, limit: 2 });
  const [first, second] = items.map((chunk) => chunk.id);
  if (first === undefined || second === undefined) throw new Error('The document has two chunks.');
  const chunksById: typeof corpus.chunksById = async (ids) => {
    if (ids.includes(first)) await setTimeout(20);
    return corpus.chunksById(ids);
  };
  const library = Object.assign(Object.create(corpus), { chunksById });
  const cited: Source[] = [];
  const cite = (source: Source) => cited.push(source);
  const visible = { kind: 'all', filters: [] } as const;
  const { lines } = await documentsAsFiles([], [first, second], { library, visible, cite, availableBytes: 1_000 });
  expect(lines).toEqual(['[1] d → passages[0]', '[2] d → passages[1]']);
});
