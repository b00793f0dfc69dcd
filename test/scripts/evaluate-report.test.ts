import { expect, it } from 'vitest';
import type { CollectionRun } from '../../scripts/evaluate/collection-run.ts';
import { storeTable } from '../../scripts/evaluate/report.ts';

const run = (store: CollectionRun['store'], ndcg: number): CollectionRun => ({
  collection: 'cranfield',
  embedder: 'hash',
  embedded_with: 'builtin/lexical-hash-v1',
  mode: 'full_text',
  store,
  passages: 'split',
  titles: true,
  graph: false,
  among: null,
  typing_errors: false,
  documents: 1,
  chunks: 1,
  ingest_seconds: 1,
  milliseconds_per_query: 1,
  means: { 'ndcg@10': ndcg },
  queries: [],
});

it('stores that rank alike have the same three decimals', () => {
  const { lines, isEqual } = storeTable([run('sqlite', 0.54021), run('pgvector', 0.54019)], false);
  expect(isEqual).toBe(true);
  expect(lines.join('\n')).toMatch(/SQLite \+ Chroma +PostgreSQL \+ pgvector +equal\ncranfield.+0\.540 +0\.540 +yes/);
  expect(storeTable([run('sqlite', 0.54), run('postgres', 0.541)], false).isEqual).toBe(false);
});
