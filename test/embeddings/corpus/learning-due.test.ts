import { describe, expect, it } from 'vitest';
import { decideLearning, type LearningFacts } from '../../../src/embeddings/corpus/learning-due.ts';

const hash = 'builtin/lexical-hash-v1';
const lsa = 'builtin/lsa-v1';
const packaged = 'builtin/static-v1';
const openai = 'openai/text-embedding-3-small';
const base: LearningFacts = {
  setting: undefined,
  chosen: undefined,
  preferred: packaged,
  embedder: packaged,
  chunkCount: 400,
  inUse: undefined,
  foldedSince: { chunkCount: 0, known: 0, terms: 0 },
};
const learned = { embedder: lsa, inUse: { chunkCount: 400, knownShare: 0.98 } };

describe('training is due', () => {
  it.each<[string, Partial<LearningFacts>]>([
    ['when nobody has chosen and it is large enough', {}],
    ['sooner when it is asked for by a setting', { setting: lsa, chunkCount: 20, preferred: lsa }],
    ['sooner when it was asked for with a command', { chosen: lsa, chunkCount: 20 }],
    ['again when it has grown by half', { ...learned, chunkCount: 600 }],
    [
      'again when too much of what comes is unknown',
      { ...learned, foldedSince: { chunkCount: 40, known: 6_000, terms: 9_000 } },
    ],
    ['in place of the packaged embedder when it is asked for', { embedder: packaged, setting: lsa, preferred: lsa }],
    ['in place of hashing, which an earlier version began with', { embedder: hash }],
    ['again when what was learned is lost', { embedder: lsa, inUse: undefined }],
    ['again as it grows though a key came later', { ...learned, preferred: openai, chunkCount: 600 }],
  ])('%s', (_, facts) => {
    expect(decideLearning({ ...base, ...facts })).toMatchObject({ isDue: true });
  });
});

describe('training is not due', () => {
  it.each<[string, Partial<LearningFacts>, RegExp]>([
    ['while it is small', { chunkCount: 99 }, /Once there are 100 passages/],
    ['when the packaged embedder was chosen', { embedder: packaged, chosen: packaged }, /citewell reindex/],
    ['when a setting names another', { setting: hash }, /CITEWELL_EMBEDDING_MODEL/],
    ['when a person chose another', { chosen: hash }, /citewell reindex/],
    ['when a key would give something better', { preferred: openai }, /openai\/text-embedding-3-small/],
    ['when a real model embedded it', { embedder: openai }, /embedded with/],
    ['while it has hardly grown', { ...learned, chunkCount: 599 }, /learned from 400 passages/],
    [
      'while new words are few',
      { ...learned, foldedSince: { chunkCount: 40, known: 8_000, terms: 9_000 } },
      /learned from 400/,
    ],
    [
      'while few texts tell of new words',
      { ...learned, foldedSince: { chunkCount: 5, known: 0, terms: 600 } },
      /learned from 400/,
    ],
    ['when all of it is gone', { embedder: lsa, chunkCount: 0 }, /corpus is empty/],
  ])('%s, and says so', (_, facts, reason) => {
    expect(decideLearning({ ...base, ...facts })).toEqual({ isDue: false, reason: expect.stringMatching(reason) });
  });
});
