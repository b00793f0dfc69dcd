import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/evaluate.ts', import.meta.url));

async function evaluate(...args: string[]) {
  const outcome = promisify(execFile)(process.execPath, [SCRIPT, ...args]);
  return outcome.then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

it('measures a collection over HTTP, reuses stored data, and fails when a measure has decreased', async () => {
  const folder = await temporaryFolder();
  const topics = [
    'granite',
    'sourdough',
    'regatta',
    'herring',
    'lantern',
    'tide',
    'ledger',
    'anchor',
    'compass',
    'peat',
  ];
  const corpus = topics.map((topic, index) => ({
    _id: `d${index}`,
    title: `Of ${topic}`,
    text: `This page is about the ${topic} and nothing else.`,
  }));
  const queries = topics.map((topic, index) => ({ _id: `q${index}`, text: `Where is the ${topic}?` }));
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  await writeFile(join(folder, 'corpus.jsonl'), lines([...corpus, { _id: 'empty', title: '', text: ' ' }]));
  await writeFile(join(folder, 'queries.jsonl'), lines(queries));
  await writeFile(join(folder, 'qrels.tsv'), topics.map((_, index) => `q${index}\td${index}\t1`).join('\n'));

  const common = [folder, '--embedder', 'hash', '--modes', 'full_text,default', '--data', join(folder, 'data')];
  const first = await evaluate(...common, '--json', join(folder, 'first.json'));
  expect({ code: first.code, stderr: first.stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/1 documents without text/),
  });
  const { runs } = JSON.parse(await readFile(join(folder, 'first.json'), 'utf8'));
  expect(runs).toMatchObject([
    { mode: 'full_text', documents: 10, means: { 'ndcg@10': 1, 'recall@100': 1 }, ingest_seconds: expect.any(Number) },
    { mode: 'default', embedded_with: 'builtin/lexical-hash-v1', means: { 'mrr@10': 1 } },
  ]);

  const judged = topics.map((_, index) => `q${index}\td${(index + 1) % topics.length}\t1`).join('\n');
  await writeFile(join(folder, 'qrels.tsv'), judged);
  const second = await evaluate(...common, '--against', join(folder, 'first.json'), '--fail-on-loss', 'ndcg@10');
  expect(second.code).toBe(1);
  expect(second.stdout).toMatch(/kept/);
  expect(second.stdout).toMatch(/ndcg@10 +1\.000 .* 10 +0\.002\n[\s\S]*worse by nDCG@10:\n.*Where is the/);
  expect(second.stderr).toMatch(/full_text: ndcg@10 is significantly worse/);

  await writeFile(join(folder, 'queries.jsonl'), '{"_id":"q"}');
  const bad = await evaluate(...common);
  expect({ code: bad.code, stderr: bad.stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/line 1: text/) });
});
