import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EvaluationRecord, evaluationFile, writeEvaluation } from '../../src/evaluation/evaluation-record.ts';
import { createEvaluationStore } from '../../src/evaluation/evaluation-store.ts';
import { toEvaluationRecord } from '../../src/http/wire/evaluation-record.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'citewell-evaluations-'));
  for (const [day, hit] of [
    ['01', 1],
    ['02', 0],
  ] as const) {
    const record = evaluation(`2026-01-${day}T10:00:00.000Z`, hit);
    await writeEvaluation(evaluationFile(folder, record.started_at), folder, record);
  }
  await writeFile(join(folder, 'evaluations', 'odd.json'), '{}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const evaluation = (at: string, hit: number): EvaluationRecord => ({
  started_at: at,
  ended_at: at,
  is_whole: true,
  questions_file: '/questions.csv',
  questions_in_file: 1,
  setup: {
    mode: 'default',
    limit: 10,
    filters: {},
    as_of: null,
    answers: 'none',
    model: null,
    embedder: 'e',
    version: '1',
    documents: 1,
    chunks: 1,
  },
  means: { 'hit@10': hit },
  questions: [
    {
      id: 'q',
      line: 2,
      text: 'Where?',
      isUnanswerable: false,
      scores: { 'hit@10': hit },
      rank: hit === 1 ? 1 : null,
      found: ['Other'],
      milliseconds: 1,
    },
  ],
});

it('lists evaluations newest first, and skips other files', async () => {
  const { items } = await createEvaluationStore(folder).list({ offset: 0, limit: 10 });
  expect(items.map(({ id }) => id)).toEqual(['2026-01-02T10-00-00.000Z', '2026-01-01T10-00-00.000Z']);
});

it('compares an evaluation with the previous one, and lists faults per question', async () => {
  const evaluations = createEvaluationStore(folder);
  const last = await evaluations.get('2026-01-02T10-00-00.000Z');
  const sent = toEvaluationRecord(last, await evaluations.difference(last));
  expect(sent.difference).toMatchObject({
    before: { id: '2026-01-01T10-00-00.000Z', fault_count: 0 },
    scores: [{ score: 'hit@10', before: 1, now: 0, mean_difference: -1, p_value: 1 }],
  });
  expect(sent.questions[0]?.faults).toEqual(['not among the first ten; found instead: Other']);
  expect(await evaluations.difference(await evaluations.get('2026-01-01T10-00-00.000Z'))).toBeUndefined();
});

it('refuses a path as identifier', async () => {
  for (const id of ['../citewell', '', 'odd', '2025']) {
    await expect(createEvaluationStore(folder).get(id)).rejects.toMatchObject({ code: 'not_found' });
  }
});
