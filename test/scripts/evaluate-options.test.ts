import { describe, expect, it } from 'vitest';
import { readOptions } from '../../scripts/evaluate/options.ts';

describe('the options of scripts/evaluate.ts', () => {
  it('default to the user’s configuration and every search mode', () => {
    expect(readOptions(['folder'])).toMatchObject({
      folders: ['folder'],
      embedders: ['auto'],
      modes: ['full_text', 'semantic', 'hybrid', 'default'],
      stores: ['sqlite'],
      limit: 100,
      isWhole: false,
      isGraphOn: false,
      failOnLoss: [],
      failBelow: [],
    });
  });

  it('name measures that must not decrease', () => {
    const args = [
      'a',
      'b',
      '--against',
      'x.json',
      '--fail-on-loss',
      'ndcg@10,recall@100',
      '--fail-below',
      'mrr@10=0.5',
    ];
    expect(readOptions(args)).toMatchObject({
      failOnLoss: ['ndcg@10', 'recall@100'],
      failBelow: [{ score: 'mrr@10', least: 0.5 }],
    });
  });

  it('compare stores, of which those on PostgreSQL need a server', () => {
    const database = ['--database', 'postgres://localhost/postgres'];
    expect(readOptions(['a', ...database])?.stores).toEqual(['postgres']);
    expect(readOptions(['a', ...database, '--stores', 'pgvector,sqlite'])?.stores).toEqual(['sqlite', 'pgvector']);
  });

  it.each([
    [['a', '--stores', 'pgvector'], /--stores pgvector needs --database/],
    [['a', '--stores', 'mysql'], /"mysql" is no store; choose from sqlite/],
    [[], /at least one folder/],
    [['a', '--modes', 'fuzzy'], /"fuzzy" is no search mode; choose from full_text/],
    [['a', '--limit', '0'], /--limit must be a whole number from 1 to 300/],
    [['a', '--fail-on-loss', 'ndcg@10'], /needs --against/],
    [['a', '--against', 'x', '--fail-on-loss', 'map'], /"map" is no measure/],
    [['a', '--fail-below', 'ndcg@10'], /takes a measure and a number/],
    [['a', '--fail-below', 'ndcg@10=2'], /takes a measure and a number/],
  ])('%j are refused', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
