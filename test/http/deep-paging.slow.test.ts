import { expect, it, onTestFinished } from 'vitest';
import { startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CHUNKS = 10_000;
const PER_DOCUMENT = 1_000;
const PAGE = 500;
const places = ['harbour', 'mountain', 'library', 'bakery', 'airport', 'forest', 'hospital', 'theatre'];
const things = ['a lost key', 'the price of bread', 'an early train', 'two broken lamps', 'the annual report'];

it('pages of a search over 10,000 passages together hold each of them once, semantic and hybrid', async () => {
  const server = await startCitewell({
    cwd: await temporaryFolder(),
    env: { CITEWELL_EMBEDDING_MODEL: 'builtin/static-v1', CITEWELL_GRAPH: 'off', CITEWELL_RATE_LIMITS: 'off' },
  });
  onTestFinished(() => server.kill());
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { readonly results: { readonly chunk_search_results: { id: string }[] } };
    expect(response.ok, JSON.stringify(answer).slice(0, 300)).toBe(true);
    return answer.results;
  };
  for (let first = 0; first < CHUNKS; first += PER_DOCUMENT) {
    const chunks = Array.from({ length: PER_DOCUMENT }, (_, at) => {
      const number = first + at;
      return `Note ${number} at the ${places[number % 8]} about ${things[number % 5]}, written on day ${number % 365}.`;
    });
    await post('/documents', { chunks, run_with_orchestration: false });
  }
  const semantic = { use_semantic_search: true, use_fulltext_search: false };
  for (const [kind, page] of [
    [semantic, PAGE],
    // Some passages share words with the question, others are only near.
    [{ use_hybrid_search: true }, 2 * PAGE],
  ] as const) {
    const seen: string[] = [];
    for (let offset = 0; offset < CHUNKS; offset += page) {
      const { chunk_search_results: found } = await post('/retrieval/search', {
        query: 'Where can I catch a plane or an early train?',
        search_settings: { ...kind, offset, limit: page },
      });
      expect(found).toHaveLength(page);
      for (const { id } of found) seen.push(id);
    }
    expect(new Set(seen).size).toBe(CHUNKS);
  }
}, 300_000);
