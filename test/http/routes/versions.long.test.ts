import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

const id = '11111111-2222-4333-8444-555555555555';
const paragraphs = Array.from(
  { length: 500 },
  (_, index) => `Section ${index} tells of harbour number ${index} and of the ${index * 7} boats that lie in it.`,
);
const edited = paragraphs.with(250, 'Section 250 was written anew, and speaks of lighthouses instead.');

let http: RunningHttp;
const embedded: string[][] = [];
/** A time at which the first version was visible and the second was not. */
let then = '';

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
  readonly body: any;
}

async function call(path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`${http.url}/v3${path}`, init);
  return { status: response.status, body: await response.json() };
}

async function put(chunks: readonly string[]): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ id, replace: 'true', chunks: JSON.stringify(chunks) }))
    form.set(name, value);
  form.set('metadata', JSON.stringify({ title: 'Harbours' }));
  return call('/documents', { method: 'POST', body: form });
}

const search = (query: string, settings: object = {}) =>
  call('/retrieval/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, search_settings: { limit: 3, use_fulltext_search: true, ...settings } }),
  });

const hits = ({ body }: Reply) => body.results.chunk_search_results;

beforeAll(async () => {
  http = await startCitewell({ onEmbed: (texts) => embedded.push([...texts]) });
});
afterAll(() => http.close());
beforeEach(async () => {
  await call(`/documents/${id}`, { method: 'DELETE' });
  await put(paragraphs);
  await sleep(5);
  then = new Date().toISOString();
  await sleep(5);
  embedded.length = 0;
  await put(edited);
});

describe('a document of 500 chunks of which one was edited', () => {
  it('has one chunk embedded when it is uploaded again', () => {
    expect(embedded.flat()).toHaveLength(1);
    expect(embedded.flat()[0]).toContain('lighthouses');
  });

  it('shows its versions to its owner, newest first', async () => {
    const { body } = await call(`/documents/${id}/versions`);
    expect(body.total_entries).toBe(2);
    expect(body.results[0]).toMatchObject({ document_id: id, version: 'v1', replaced_at: null, retired: null });
    expect(body.results[1]).toMatchObject({
      version: 'v0',
      replaced_at: body.results[0].published_at,
      chunk_count: 500,
    });
    expect((await call(`/documents/${id}/versions?offset=1&limit=1`)).body.results).toEqual([body.results[1]]);
  });

  it('returns record, text, chunks and file of each version', async () => {
    const base = `/documents/${id}/versions/v0`;
    expect((await call(base)).body.results).toMatchObject({ id, version: 'v0', title: 'Harbours' });
    const text = (await call(`${base}/text?start=0&end=9`)).body.results;
    expect(text).toMatchObject({ text: 'Section 0', version: 'v0' });
    const chunks = (await call(`${base}/chunks?offset=250&limit=1&include_vectors=true`)).body;
    expect(chunks).toMatchObject({ total_entries: 500, results: [{ text: paragraphs[250], version: 'v0' }] });
    expect(chunks.results[0].vector.length).toBeGreaterThan(0);
    const file = await fetch(`${http.url}/v3${base}/download`);
    expect(await file.text()).toBe(paragraphs.join('\n\n'));
    expect((await call(`/documents/${id}/versions/v7`)).status).toBe(404);
    expect((await call(`/documents/${id}/versions/latest`)).status).toBe(422);
  });

  it('returns the differences between two versions', async () => {
    const { body } = await call(`/documents/${id}/versions/v0/diff/v1`);
    expect(body.results).toMatchObject({ from: 'v0', to: 'v1', unchanged: 499 });
    expect(body.results.differences).toMatchObject([
      { kind: 'removed', text: paragraphs[250], order: 250, heading_path: [] },
      { kind: 'added', text: edited[250], order: 250 },
    ]);
  });

  it('is found and read as of an earlier time', async () => {
    expect(hits(await search('lighthouses'))[0]).toMatchObject({ version: 'v1', text: edited[250] });
    const past = hits(await search('250 1750 boats', { as_of: then }));
    expect(past[0]).toMatchObject({ text: paragraphs[250], version: 'v0', metadata: { version: 'v0' } });
    expect(Date.parse(past[0].published_at)).toBeLessThanOrEqual(Date.parse(then));
    expect(hits(await search('lighthouses', { as_of: then, use_semantic_search: false }))).toEqual([]);
    const asked = { query: '250 1750 boats', search_settings: { limit: 3, use_fulltext_search: true, as_of: then } };
    const { body } = await call('/retrieval/rag', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    });
    const [{ payload }] = body.results.citations;
    expect(payload.quotes[0].url).toBe(`${http.url}/d/${id}@v0?q=${payload.start}-${payload.end}`);
    const asOf = `as_of=${encodeURIComponent(then)}`;
    expect((await call(`/documents/${id}?${asOf}`)).body.results).toMatchObject({ version: 'v0' });
    expect((await call(`/documents/${id}/text?${asOf}`)).body.results.text).toBe(paragraphs.join('\n\n'));
    expect((await call(`/documents/${id}/chunks?limit=1&offset=250&${asOf}`)).body.results[0].text).toBe(
      paragraphs[250],
    );
    expect(await (await fetch(`${http.url}/v3/documents/${id}/download?${asOf}`)).text()).toBe(paragraphs.join('\n\n'));
    expect((await call(`/documents/${id}?as_of=2001-01-01`)).status).toBe(404);
    expect((await call(`/documents/${id}?as_of=yesterday`)).status).toBe(422);
    expect((await search('boats', { as_of: 'yesterday' })).status).toBe(422);
  });

  it('is restored without embedding anything, and deleted with all versions and a receipt', async () => {
    embedded.length = 0;
    const { status, body } = await call(`/documents/${id}/versions/v0/restore`, { method: 'POST' });
    expect([status, body.results.version, body.results.chunk_count]).toEqual([200, 'v2', 500]);
    expect(embedded.flat()).toEqual([]);
    expect(hits(await search('lighthouses', { use_semantic_search: false }))).toEqual([]);
    const deleted = (await call(`/documents/${id}`, { method: 'DELETE' })).body.results;
    expect(deleted).toMatchObject({
      success: true,
      documents: 1,
      chunks: 500,
      versions: 2,
      past_chunks: 1,
      files: 3,
      index: { removed: 501, state: 'confirmed' },
      verified: true,
    });
    expect((await call(`/documents/${id}/versions`)).status).toBe(404);
  });
});
