import { expect, it } from 'vitest';
import { sourceRow, sourcesLine } from '../../src/cli/source-rows.ts';
import type { SourceRecord } from '../../src/cli/sources-client.ts';

const source = (change: Partial<SourceRecord>): SourceRecord => ({
  id: '7d0c3f0e-0000-4000-8000-000000000000',
  owner_id: '7d0c3f0e-0000-4000-8000-000000000001',
  kind: 'folder',
  location: '/papers',
  keep_deleted: false,
  settings: null,
  has_credentials: null,
  every_minutes: null,
  next_sync_at: null,
  sitemap: null,
  crawl_depth: null,
  max_pages: null,
  collection_ids: [],
  created_at: '2026-01-01T00:00:00.000Z',
  state: 'following',
  problem: null,
  total: null,
  listed: null,
  last_sync: null,
  failed_items: null,
  ...change,
});

const synced = (counts: Readonly<Record<string, number>>): SourceRecord['last_sync'] => ({
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: null,
  done: Object.values(counts).reduce((sum, each) => sum + each, 0),
  counts,
  failures: [],
  is_limit_reached: false,
});

it('shows how far a synchronisation is', () => {
  const running = source({ state: 'syncing', total: 10_000, last_sync: synced({ unchanged: 3000, ingested: 334 }) });
  expect(sourceRow(running).slice(3)).toEqual(['in progress, 3,334 of 10,000', '3,000 unchanged, 334 ingested']);
  expect(sourceRow({ ...running, total: null })[3]).toBe('in progress');
  expect(sourceRow({ ...running, total: null, listed: 4000 })[3]).toBe('in progress, 3,334 of 4,000 listed so far');
  expect(sourceRow({ ...running, state: 'following' })[3]).toBe('followed');
});

it('sums up all sources, running and stopped ones', () => {
  expect(sourcesLine([source({})])).toBe('1 followed');
  const running = source({ state: 'syncing', last_sync: synced({ ingested: 1200 }) });
  const stopped = source({ state: 'stopped', problem: 'Access refused.' });
  expect(sourcesLine([source({}), running, running, stopped])).toBe(
    '4 followed, 2 in progress with 2,400 items done, 1 stopped ("citewell sources list" says why)',
  );
});
