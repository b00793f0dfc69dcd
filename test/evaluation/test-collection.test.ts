import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestCollection } from '../../src/evaluation/test-collection.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CORPUS = '{"_id":"d1","title":"Tide","text":"High\u2028water"}\r\n\n{"id":2,"text":"Low water"}\n';
const QUERIES = '\ufeff{"_id":"q1","text":"When is high water?"}\n{"id":"q2","text":"Nothing answers this"}';
const QRELS = 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\t2\t0\n';

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  const all = { 'corpus.jsonl': CORPUS, 'queries.jsonl': QUERIES, 'qrels.tsv': QRELS, ...files };
  for (const [name, text] of Object.entries(all)) {
    if (name.includes('/')) await mkdir(join(folder, name, '..'), { recursive: true });
    if (text !== '') await writeFile(join(folder, name), text);
  }
  return folder;
}

describe('a test collection', () => {
  it('is read in BEIR’s format, and with plain identifiers', async () => {
    const collection = await openTestCollection(await folderOf({}));
    expect(await Array.fromAsync(collection.documents())).toEqual([
      { id: 'd1', title: 'Tide', text: 'High\u2028water' },
      { id: '2', title: '', text: 'Low water' },
    ]);
    expect(collection).toMatchObject({
      documentCount: 2,
      queries: [
        {
          id: 'q1',
          text: 'When is high water?',
          gains: new Map([
            ['d1', 2],
            ['2', 0],
          ]),
        },
      ],
      notes: ['1 queries are left out, for nothing is relevant to them.'],
    });
  });

  it('may have judgements without a header, and in BEIR’s folder', async () => {
    const nested = { 'qrels.tsv': '', 'qrels/test.tsv': 'q1\td1\t1' };
    const { queries } = await openTestCollection(await folderOf(nested));
    expect(queries.map(({ id }) => id)).toEqual(['q1']);
  });

  it('has the same fingerprint for the same content in any formatting', async () => {
    const hashOf = async (corpus: string) =>
      (await openTestCollection(await folderOf({ 'corpus.jsonl': corpus }))).corpusHash;
    const hash = await hashOf(CORPUS);
    expect(await hashOf(`${CORPUS.replaceAll('\r', '')}\n\n`)).toBe(hash);
    expect(await hashOf(CORPUS.replace('Low', 'Ebb'))).not.toBe(hash);
  });

  it('counts missing judged documents as misses, and reports them', async () => {
    const { queries, notes } = await openTestCollection(await folderOf({ 'qrels.tsv': `${QRELS}q1\tgone\t1\n` }));
    expect(queries[0]?.gains.size).toBe(3);
    expect(notes).toContain('1 judged documents are not in corpus.jsonl.');
  });

  it.each([
    ['corpus.jsonl', `${CORPUS}{"_id":"d1","text":"again"}`, /corpus\.jsonl.*\n {2}line 4: "d1" is the identifier/],
    ['corpus.jsonl', '{"title":1}', /line 1: id: .*; title: /],
    ['queries.jsonl', '{"_id":"q1","text":" "}\nnonsense', /line 1: text: [\s\S]*line 2: This is not JSON/],
    ['qrels.tsv', `${QRELS}q1 d1 1\nq1\td1\tmuch`, /line 4: Expected[\s\S]*line 5: Expected/],
    ['qrels.tsv', '', /There is no file .*qrels\.tsv/],
  ])('says which lines of %s are wrong', async (file, text, message) => {
    const folder = await folderOf({ [file]: text });
    await expect(openTestCollection(folder)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(openTestCollection(folder)).rejects.toThrow(message);
  });
});
