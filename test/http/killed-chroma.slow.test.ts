import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { chromasOn } from '../../scripts/kill-test/processes.ts';
import { PATIENT } from '../support/patience.ts';
import { startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** More passages than a search compares one by one, so that the vector index is queried. */
const PASSAGES = 2_400;
const PER_DOCUMENT = 800;

interface Found {
  readonly chunk_search_results: readonly { readonly text: string }[];
  readonly notes?: readonly string[];
}

it('searches are answered from the stored vectors while a killed Chroma starts again, and then by the index', async () => {
  const cwd = await temporaryFolder();
  const server = await startCitewell({
    cwd,
    env: {
      CITEWELL_EMBEDDING_MODEL: 'builtin/static-v1',
      CITEWELL_GRAPH: 'off',
      CITEWELL_RATE_LIMITS: 'off',
      CITEWELL_DATA_DIR: join(cwd, 'data'),
    },
  });
  onTestFinished(() => server.kill());
  const post = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { readonly results: T };
    expect(response.ok, JSON.stringify(answer).slice(0, 300)).toBe(true);
    return answer.results;
  };
  for (let first = 0; first < PASSAGES; first += PER_DOCUMENT) {
    const chunks = Array.from({ length: PER_DOCUMENT }, (_, at) => `The keeper of lamp ${first + at} sleeps at noon.`);
    await post('/documents', { chunks, run_with_orchestration: false });
  }
  const search = () =>
    post<Found>('/retrieval/search', {
      query: 'lamp 1234',
      search_settings: { use_semantic_search: true, use_fulltext_search: false },
    });
  const searchedIndex = async () => (await search()).notes ?? [];
  // Without a note, the index was queried.
  await expect.poll(searchedIndex, PATIENT).toEqual([]);

  const [chroma] = await chromasOn(join(cwd, 'data'));
  if (chroma === undefined) throw new Error('There is no process of Chroma.');
  process.kill(chroma.pid, 'SIGKILL');
  const { chunk_search_results: results, notes } = await search();
  expect(results[0]?.text).toContain('lamp 1234');
  expect(notes?.join()).toMatch(/^The vector index .*; the stored vectors were (searched|compared one by one)\.$/);

  await expect.poll(searchedIndex, PATIENT).toEqual([]);
  expect((await chromasOn(join(cwd, 'data'))).map(({ pid }) => pid)).not.toContain(chroma.pid);
}, 300_000);
