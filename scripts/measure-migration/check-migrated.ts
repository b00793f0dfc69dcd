import { startCitewell } from '../../test/support/run-citewell.ts';
import { emailOf, PASSWORD, type R2rCounts, sentenceOf } from './r2r-database.ts';

const PER_PAGE = 1000;
const EXAMPLES = 5;
/** Every n-th conversation is compared. */
const CONVERSATION_STEP = 25;

/** How the content of a data folder differs from R2R's database. */
export async function checkMigrated(cwd: string, expected: R2rCounts, users: number): Promise<readonly string[]> {
  const server = await startCitewell({ cwd, env: { CITEWELL_AUTH: 'off' }, startWithinMs: 300_000 });
  const problems: string[] = [];
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${server.url}/v3${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
    return (await response.json()) as any;
  };
  const all = async (path: string) => {
    // biome-ignore lint/suspicious/noExplicitAny: records of many shapes
    const found: any[] = [];
    for (;;) {
      const { results } = await send(`${path}?limit=${PER_PAGE}&offset=${found.length}`);
      found.push(...results);
      if (results.length < PER_PAGE) return found;
    }
  };
  try {
    for (const kind of ['users', 'collections', 'documents', 'conversations'] as const) {
      const found = await all(`/${kind}`);
      const ids = new Set(found.map(({ id }) => id));
      if (ids.size !== expected[kind]) problems.push(`${ids.size} ${kind} instead of ${expected[kind]}`);
      if (kind === 'documents') {
        const unfinished = found.filter(({ ingestion_status: status }) => status !== 'success');
        if (unfinished.length > 0) problems.push(`${unfinished.length} documents are not complete`);
        const titles = new Set(found.map(({ title }) => title));
        if (titles.size !== found.length)
          problems.push(`${found.length - titles.size} documents have the title of another`);
      }
      if (kind === 'conversations') {
        for (const { id, name } of found.filter((_, at) => at % CONVERSATION_STEP === 0)) {
          const { results } = await send(`/conversations/${id}`);
          const wanted = Number(/^Talk \d+$/.test(name) ? 6 : 2);
          if (results.length !== wanted) problems.push(`"${name}" has ${results.length} messages instead of ${wanted}`);
        }
      }
    }
    // Not 0: all words of its sentence are in every document.
    for (const number of [
      1,
      2,
      Math.floor(expected.documents / 3),
      Math.floor(expected.documents / 2),
      expected.documents - 3,
    ]) {
      const query = sentenceOf(number);
      const { results } = await send('/retrieval/search', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const isFound = results.chunk_search_results.some(({ text }: { readonly text: string }) => text.includes(query));
      if (!isFound) problems.push(`a search does not find "${query}"`);
    }
    for (const number of [0, Math.floor(users / 2), users - 1]) {
      const body = new URLSearchParams({ username: emailOf(number), password: PASSWORD });
      await send('/users/login', { method: 'POST', body }).catch((error: unknown) => problems.push(String(error)));
    }
  } finally {
    await server.kill();
  }
  const more = problems.length - EXAMPLES;
  return more > 0 ? [...problems.slice(0, EXAMPLES), `… and ${more} more problems`] : problems;
}
