import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

let http: RunningHttp;
let asking = defaultAdmin;

beforeAll(async () => {
  http = await startCitewell({ authenticate: async () => asking });
});
afterAll(() => http.close());

const NOBODY = 'b0000000-0000-4000-8000-000000000000';

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
  readonly body: any;
}

async function call(method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`${http.url}/v3/conversations${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const create = async (body?: unknown): Promise<string> => (await call('POST', '', body)).body.results.id;

describe('a conversation', () => {
  it('is made with a name or from an empty body', async () => {
    const { status, body } = await call('POST', '', { name: 'Trip' });
    expect(status).toBe(200);
    expect(body).toEqual({
      results: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        created_at: expect.stringMatching(/Z$/),
        user_id: defaultAdmin.userId,
        name: 'Trip',
      },
    });
    for (const blank of [undefined, { name: '' }, { name: '  ' }, { name: null }])
      expect((await call('POST', '', blank)).body.results.name).toBeNull();
  });

  it('is listed newest first, paged, and by ids', async () => {
    const one = await create({ name: 'one' });
    const two = await create({ name: 'two' });
    const { results, total_entries } = (await call('GET', '?limit=2')).body;
    expect(results.map(({ id }: { id: string }) => id)).toEqual([two, one]);
    expect(total_entries).toBeGreaterThan(2);
    for (const query of [`ids=${one}&ids=${two}`, `ids[]=${one}&ids[]=${two}`, `ids[0]=${one}&ids%5B1%5D=${two}`])
      expect((await call('GET', `?${query}&limit=1`)).body.total_entries).toBe(2);
    expect((await call('GET', `?ids[]=${one}`)).body.results.map(({ id }: { id: string }) => id)).toEqual([one]);
    expect((await call('GET', '?ids[]=x')).body.detail[0].loc).toEqual(['query', 'ids', 0]);
  });

  it('is renamed', async () => {
    const id = await create();
    expect((await call('POST', `/${id}`, { name: 'New' })).body.results).toMatchObject({ id, name: 'New' });
    for (const name of ['', ' \n']) expect((await call('POST', `/${id}`, { name })).status).toBe(422);
    expect((await call('POST', `/${id}`, {})).status).toBe(422);
  });

  it('is deleted with its messages', async () => {
    const id = await create();
    await call('POST', `/${id}/messages`, { role: 'user', content: 'Hi' });
    expect((await call('DELETE', `/${id}`)).body).toEqual({ results: { success: true } });
    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
  });

  it.each<[string, string, string, unknown]>([
    ['get', 'GET', '', undefined],
    ['rename', 'POST', '', { name: 'x' }],
    ['delete', 'DELETE', '', undefined],
    ['add a message', 'POST', '/messages', { role: 'user', content: 'x' }],
    ['edit a message', 'POST', `/messages/${NOBODY}`, { content: 'x' }],
  ])('that is not there, or not yours, is 404 to %s', async (_, method, path, body) => {
    const id = await create();
    expect((await call(method, `/${NOBODY}${path}`, body)).status).toBe(404);
    asking = { ...defaultAdmin, userId: NOBODY, isSuperuser: false };
    expect((await call(method, `/${id}${path}`, body)).status).toBe(404);
    expect((await call('GET', '')).body.total_entries).toBe(0);
    asking = defaultAdmin;
    expect((await call(method, `/not-a-uuid${path}`, body)).status).toBe(422);
  });
});

describe('a message', () => {
  it('has all ten fields', async () => {
    const id = await create();
    const { body } = await call('POST', `/${id}/messages`, { role: 'user', content: 'Hi', metadata: { a: 1 } });
    expect(body).toEqual({
      results: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        message: {
          role: 'user',
          content: 'Hi',
          name: null,
          function_call: null,
          tool_calls: null,
          tool_call_id: null,
          metadata: null,
          structured_content: null,
          image_url: null,
          image_data: null,
        },
        metadata: { a: 1 },
      },
    });
  });

  it.each(['parent_id', 'parentID', 'parentId'])('follows its %s, and they are shown in order', async (key) => {
    const id = await create();
    const first = (await call('POST', `/${id}/messages`, { role: 'user', content: 'One' })).body.results.id;
    const second = await call('POST', `/${id}/messages`, { role: 'assistant', content: 'Two', [key]: first });
    expect(second.status).toBe(200);
    expect((await call('POST', `/${id}/messages`, { role: 'user', content: 'x', [key]: NOBODY })).status).toBe(404);
    const other = await create();
    expect((await call('POST', `/${other}/messages`, { role: 'user', content: 'x', [key]: first })).status).toBe(404);
    const { results } = (await call('GET', `/${id}`)).body;
    expect(results.map(({ message }: { message: { content: string } }) => message.content)).toEqual(['One', 'Two']);
  });

  it('is edited, and marked as edited', async () => {
    const id = await create();
    const message = (await call('POST', `/${id}/messages`, { role: 'user', content: 'One', metadata: { a: 1 } })).body
      .results.id;
    const edit = async (body: unknown) => (await call('POST', `/${id}/messages/${message}`, body)).body.results;
    expect(await edit({})).toMatchObject({ message: { content: 'One' }, metadata: { a: 1 } });
    expect(await edit({ metadata: { b: 2 } })).toMatchObject({ metadata: { a: 1, b: 2 } });
    expect(await edit({ content: 'Two' })).toMatchObject({
      message: { content: 'Two' },
      metadata: { a: 1, b: 2, edited: true },
    });
  });

  it.each<[string, unknown, number]>([
    ['an empty content', { role: 'user', content: ' ' }, 400],
    ['no content', { role: 'user' }, 400],
    ['a role nobody has', { role: 'oracle', content: 'x' }, 400],
    ['no role', { content: 'x' }, 400],
    ['a parent that is no UUID', { role: 'user', content: 'x', parent_id: 'x' }, 422],
    ['metadata that is no object', { role: 'user', content: 'x', metadata: [] }, 422],
  ])('is refused with %s', async (_, body, status) => {
    expect((await call('POST', `/${await create()}/messages`, body)).status).toBe(status);
  });
});
