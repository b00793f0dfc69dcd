import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type R2rUser, type RunningR2r, startR2r } from '../support/start-r2r.ts';

// docs/contract.md 1.1, row by row: the exact requests that R2R clients send, without a client.

let server: RunningR2r;
let ada: R2rUser;
let documentId: string;

const PASSWORD = 'a long pass phrase';

beforeAll(async () => {
  server = await startR2r();
  ada = await server.newcomer('ada');
  documentId = (await sent('POST', '/documents', { json: { raw_text: 'Paris lies on the Seine.' } })).results
    .document_id;
});
afterAll(() => server.close());

interface Sent {
  readonly json?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly by?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
  readonly results: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly body: any;
}

async function sent(method: string, path: string, { json, text, type, by }: Sent = {}): Promise<Answer> {
  const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
  const response = await fetch(`${server.url}/v3${path}`, {
    method,
    headers: { 'content-type': type ?? 'application/json', ...(by ?? ada.headers) },
    ...(body === undefined ? {} : { body }),
  });
  const read = await response.text();
  const parsed = read.startsWith('{') ? JSON.parse(read) : read;
  return { status: response.status, results: parsed.results, body: parsed };
}

const admin = () => ({ by: server.admin.headers });

describe('a request of a client of R2R', () => {
  it('may be a POST with an empty body declared as JSON', async () => {
    const collection = (await sent('POST', '/collections', { json: { name: 'Empty' } })).results.id;
    const bob = await server.newcomer('bob');
    for (const path of [
      `/collections/${collection}/documents/${documentId}`,
      `/collections/${collection}/users/${bob.id}`,
      `/graphs/${collection}/pull`,
      `/graphs/${collection}/reset`,
      `/graphs/${collection}/communities/build`,
      '/conversations',
    ]) {
      expect([path, (await sent('POST', path)).status]).toEqual([path, 200]);
    }
    expect((await sent('POST', '/users/logout', { by: bob.headers })).status).toBe(200);
  });

  it('may be a GET with a JSON content type', async () => {
    expect((await sent('GET', `/documents/${documentId}`)).results.id).toBe(documentId);
  });

  it('may delete with a body: the filter itself, JSON of it, or a password', async () => {
    const made = async (text: string): Promise<string> =>
      (await sent('POST', '/documents', { json: { raw_text: text } })).results.document_id;
    const bare = { document_id: { $eq: await made('One.') } };
    expect((await sent('DELETE', '/documents/by-filter', { json: bare })).results.documents).toBe(1);
    const quoted = JSON.stringify({ document_id: { $eq: await made('Two.') } });
    expect((await sent('DELETE', '/documents/by-filter', { json: quoted })).results.documents).toBe(1);
    const carol = await server.newcomer('carol');
    const gone = await sent('DELETE', `/users/${carol.id}`, { by: carol.headers, json: { password: PASSWORD } });
    expect(gone.results.success).toBe(true);
  });

  it('may refresh its tokens by the token alone, as JSON or in a form, whatever its header says', async () => {
    const form = { type: 'application/x-www-form-urlencoded' };
    const login = await sent('POST', '/users/login', {
      ...form,
      text: `username=ada%40example.org&password=${encodeURIComponent(PASSWORD)}`,
      by: {},
    });
    let token: string = login.results.refresh_token.token;
    const by = { authorization: 'Bearer worn.out.token' };
    for (const shape of [
      () => ({ ...form, text: token }),
      () => ({ json: token }),
      () => ({ json: { refresh_token: token } }),
      () => ({ ...form, text: `token=${token}&tokenType=refresh` }),
    ]) {
      const { status, results } = await sent('POST', '/users/refresh-token', { ...shape(), by });
      expect(status).toBe(200);
      token = results.refresh_token.token;
    }
  });

  it('may give an e-mail as plain text, as JSON or in an object', async () => {
    for (const path of ['/users/request-password-reset', '/users/send-verification-email']) {
      const shapes = [
        { text: 'nobody@example.org', type: 'text/plain' },
        { json: 'nobody@example.org' },
        { json: { email: 'nobody@example.org' } },
      ];
      const answers = await Promise.all(shapes.map((shape) => sent('POST', path, { ...shape, by: {} })));
      expect([path, new Set(answers.map(({ status }) => status)).size]).toEqual([path, 1]);
      expect(answers[0]?.status).not.toBe(422);
    }
  });

  it('may spell the parent of a message in three ways', async () => {
    const { id } = (await sent('POST', '/conversations')).results;
    const path = `/conversations/${id}/messages`;
    const first = (await sent('POST', path, { json: { role: 'user', content: 'One' } })).results.id;
    for (const name of ['parent_id', 'parentID', 'parentId']) {
      const json = { role: 'assistant', content: name, [name]: first };
      expect([name, (await sent('POST', path, { json })).status]).toEqual([name, 200]);
      const unknown = { ...json, [name]: '6b9f1f3e-0000-4000-8000-000000000000' };
      expect([name, (await sent('POST', path, { json: unknown })).status]).toEqual([name, 404]);
    }
  });

  it('may write the generation settings in camelCase', async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    for (const [wrong, name] of [
      [{ maxTokens: 0 }, 'max_tokens'],
      [{ topP: 7 }, 'top_p'],
      [{ extendedThinking: 'perhaps' }, 'extended_thinking'],
      [{ thinking_budget: 0 }, 'thinking_budget'],
    ] as const) {
      const { status, body } = await sent('POST', '/retrieval/completion', {
        json: { messages, generation_config: wrong },
      });
      expect([name, status, body.detail[0].loc.at(-1)]).toEqual([name, 422, name]);
    }
  });

  it('may name the tools of the agent by the old list, and the conversation’s name in camelCase', async () => {
    const query = 'Where does Paris lie?';
    const refused = await sent('POST', '/retrieval/agent', { json: { query, tools: ['no_such_tool'] } });
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining('no_such_tool')]);
    const unnamed = { query, tools: ['search_file_knowledge'], needsInitialConversationName: false };
    const { conversation_id } = (await sent('POST', '/retrieval/agent', { json: unnamed })).results;
    const [conversation] = (await sent('GET', `/conversations?ids=${conversation_id}`)).results;
    expect(conversation.name).toBeNull();
  });

  it('may ask for graphs by collectionIds', async () => {
    const { id } = (await sent('POST', '/collections', { json: { name: 'One of two' } })).results;
    for (const name of ['collectionIds', 'collection_ids']) {
      expect([name, (await sent('GET', `/graphs?${name}=${id}`)).body.total_entries]).toEqual([name, 1]);
    }
  });

  it('may filter chunks by the string "[object Object]"', async () => {
    const all = await sent('GET', '/chunks');
    const odd = await sent('GET', `/chunks?metadata_filters=${encodeURIComponent('[object Object]')}`);
    expect([odd.status, odd.body.total_entries]).toEqual([200, all.body.total_entries]);
    const none = await sent('GET', `/chunks?metadata_filter=${encodeURIComponent('{"year":{"$gt":2000}}')}`);
    expect(none.body.total_entries).toBe(0);
  });

  it('may send chunks with an unknown field', async () => {
    const json = { raw_chunks: [{ text: 'Ready-made.' }], runWithOrchestration: true };
    expect((await sent('POST', '/chunks', { json })).results).toMatchObject([{ document_id: expect.any(String) }]);
  });

  it('may define prompts in camelCase, and use them by the query', async () => {
    const json = { name: 'tolerant', template: 'Hello {name}', inputTypes: { name: 'str' } };
    expect((await sent('POST', '/prompts', { json, ...admin() })).status).toBe(200);
    const used = await sent('POST', '/prompts/tolerant?inputs=Ada', admin());
    expect(used.results).toMatchObject({ input_types: { name: 'str' }, message: 'Hello Ada' });
    const other = await sent('POST', '/prompts/tolerant?inputs=Ada&promptOverride=Bye%20%7Bname%7D', admin());
    expect(other.results.message).toBe('Bye Ada');
    const inBody = await sent('POST', '/prompts/tolerant', { json: { inputs: { name: 'Bob' } }, ...admin() });
    expect(inBody.results.message).toBe('Hello Bob');
    const change = { name: 'tolerant', template: 'Hi {name}', inputTypes: { name: 'str' } };
    expect((await sent('PUT', '/prompts/tolerant', { json: change, ...admin() })).status).toBe(200);
  });

  it('may name an index and its table in either order', async () => {
    const { name } = (await sent('GET', '/indices', admin())).results.indices[0].index;
    for (const path of [`/indices/${name}/chunks`, `/indices/chunks/${name}`]) {
      expect([path, (await sent('GET', path, admin())).results.index.name]).toEqual([path, name]);
    }
  });

  it('may search documents with settings in camelCase', async () => {
    const json = { query: 'Paris', search_mode: 'custom', search_settings: { useHybridSearch: true, limit: 1 } };
    expect((await sent('POST', '/documents/search', { json })).results).toHaveLength(1);
    const wrong = { query: 'Paris', search_settings: { includeScores: 'perhaps' } };
    const { status, body } = await sent('POST', '/documents/search', { json: wrong });
    expect([status, body.detail[0].loc.at(-1)]).toEqual([422, 'include_scores']);
  });

  it('may leave metadata of hits out by either name', async () => {
    for (const name of ['include_metadata', 'include_metadatas']) {
      const json = { query: 'Paris Seine', search_settings: { [name]: false } };
      const [hit] = (await sent('POST', '/retrieval/search', { json })).results.chunk_search_results;
      expect([name, hit.metadata]).toEqual([name, {}]);
    }
  });

  it('may have unknown fields', async () => {
    const json = { query: 'Paris', no_such_member: true, search_settings: { norThis: 1 } };
    expect((await sent('POST', '/retrieval/search', { json })).status).toBe(200);
  });

  it('receives the bytes of a file unchanged', async () => {
    const { body } = await sent('GET', `/documents/${documentId}/download`);
    expect(body).toBe('Paris lies on the Seine.');
  });

  it('may send a key in its own header, but not two credentials', async () => {
    const { api_key } = (await sent('POST', `/users/${ada.id}/api-keys`, { json: { name: 'script' } })).results;
    expect((await sent('GET', '/users/me', { by: { 'x-api-key': api_key } })).results.id).toBe(ada.id);
    expect((await sent('GET', '/users/me', { by: { ...ada.headers, 'x-api-key': api_key } })).status).toBe(400);
  });
});
