import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { QuestionResult } from '../../src/evaluation/evaluate-questions.ts';
import {
  type EvaluationRecord,
  evaluationFile,
  lastEvaluation,
  readEvaluation,
  writeEvaluation,
} from '../../src/evaluation/evaluation-record.ts';
import { differenceLines, problemLines, scoreTable } from '../../src/evaluation/evaluation-report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const result = (id: string, more: Partial<QuestionResult> = {}): QuestionResult => ({
  id,
  line: 1,
  text: `Question ${id}`,
  isUnanswerable: false,
  scores: { 'ndcg@10': 1, 'hit@10': 1 },
  rank: 1,
  found: ['a.md'],
  milliseconds: 3,
  ...more,
});

const record = (questions: readonly QuestionResult[], more: Partial<EvaluationRecord> = {}): EvaluationRecord => ({
  started_at: '2026-11-21T10:00:00.000Z',
  ended_at: '2026-11-21T10:00:01.000Z',
  is_whole: true,
  questions_file: '/home/ada/questions.jsonl',
  questions_in_file: questions.length,
  setup: {
    mode: 'default',
    limit: 10,
    filters: {},
    as_of: null,
    answers: 'rag',
    model: 'builtin/extractive',
    embedder: 'builtin/lsa-v1',
    version: '1.0.0',
    documents: 3,
    chunks: 9,
  },
  means: { 'ndcg@10': 1 },
  questions: [...questions],
  ...more,
});

async function keep(folder: string, kept: EvaluationRecord): Promise<string> {
  const file = evaluationFile(folder, kept.started_at);
  await writeEvaluation(file, folder, kept);
  return file;
}

describe('an evaluation', () => {
  it('is stored and read back unchanged', async () => {
    const folder = await temporaryFolder();
    const answer = { text: 'So [1].', isRefused: false, verdicts: { close: 1 } };
    const kept = record([result('a', { answer }), result('b', { scores: {}, failure: 'It broke.', rank: null })]);
    expect(await readEvaluation(await keep(folder, kept))).toEqual(kept);
    expect(await readdir(join(folder, 'evaluations'))).toEqual(['2026-11-21T10-00-00.000Z.json']);
  });

  it('is compared with the last one that shares most of its questions', async () => {
    const folder = await temporaryFolder();
    await keep(folder, record([result('a'), result('b')]));
    await keep(folder, record([result('a')], { started_at: '2026-11-21T11:00:00.000Z' }));
    await keep(folder, record([result('x')], { started_at: '2026-11-21T12:00:00.000Z' }));
    await writeFile(join(folder, 'evaluations', '2026-11-21T13-00-00.000Z.json'), '{"half": ');
    const startedAt = async (...ids: string[]) => (await lastEvaluation(folder, new Set(ids)))?.started_at;
    expect(await startedAt('a', 'b')).toBe('2026-11-21T11:00:00.000Z');
    expect(await startedAt('a', 'b', 'c')).toBe('2026-11-21T10:00:00.000Z');
    expect(await startedAt('a', 'b', 'c', 'd', 'e')).toBeUndefined();
  });

  it('is not compared when there is no earlier one', async () => {
    const folder = await temporaryFolder();
    expect(await lastEvaluation(folder, new Set(['a']))).toBeUndefined();
    await mkdir(join(folder, 'evaluations'));
    expect(await lastEvaluation(folder, new Set(['a']))).toBeUndefined();
  });

  it('is not read from a file of another kind', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'other.json'), '{}');
    await expect(readEvaluation(join(folder, 'other.json'))).rejects.toThrow(/is not an evaluation file/);
    await expect(readEvaluation(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the report of an evaluation', () => {
  it('gives the number of questions for each score', () => {
    const lines = scoreTable(record([result('a'), result('b')], { means: { 'ndcg@10': 0.75, refused: 1 } }));
    expect(lines).toEqual([
      '         score  of',
      'ndcg@10  0.750   2  expected results rank high among the first ten',
      'refused  1.000   0  unanswerable questions that were refused',
    ]);
  });

  it('lists the worst questions, and how many more there are', () => {
    const missed = Array.from({ length: 12 }, (_, index) =>
      result(`${index}`, { line: index + 1, scores: { 'hit@10': 0 } }),
    );
    const lines = problemLines([result('fine'), ...missed]);
    expect(lines[0]).toBe('  line 1: Question 0  (not among the first ten; found instead: a.md)');
    expect(lines.at(-1)).toBe('  and 2 more; --all lists them');
    expect(problemLines(missed, Number.POSITIVE_INFINITY)).toHaveLength(12);
  });

  it('names changed settings, and excludes failed questions from the comparison', () => {
    const before = record([result('a'), result('b')]);
    const now = record([result('a', { scores: { 'ndcg@10': 0.5 } }), result('b', { scores: {}, failure: 'x' })], {
      setup: { ...before.setup, mode: 'semantic' },
    });
    const { lines, comparison } = differenceLines(before, now);
    expect(comparison.shared).toBe(1);
    expect(lines[0]).toBe('Compared with the evaluation of 2026-11-21 10:00:00: 1 questions in both, 1 only before.');
    expect(lines).toContain('  mode: "default" → "semantic"');
    expect(lines).toContain('    1.000 → 0.500  Question a');
    expect(differenceLines(before, before).lines.at(-1)).toBe('No question has a different result.');
  });
});
