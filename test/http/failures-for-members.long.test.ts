import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAdmin, type Principal } from '../../src/access/principal.ts';
import { createLocalBackend } from '../../src/mcp/local-backend.ts';
import { chatReply, startFakeOpenAi } from '../support/fake-openai.ts';
import type { Reply } from '../support/fake-provider.ts';
import { type MountedServices, startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';
import { eventsOf } from './support/stream.ts';

const member: Principal = {
  userId: '11111111-1111-4111-8111-111111111111',
  email: 'member@example.org',
  isSuperuser: false,
  collectionIds: [],
};
const authenticate = async ({ apiKey }: { readonly apiKey: string | undefined }) =>
  apiKey === undefined ? defaultAdmin : member;
const asMember = { headers: { 'Content-Type': 'application/json', 'x-api-key': 'of the member' } };

/** A reply that breaks off after its first words. */
const brokenReply: Reply = {
  ...chatReply({}),
  steps: [...chatReply({ text: 'It is' }).steps.slice(0, 3), { cut: true }],
};
const query = 'What is the capital of Portugal?';
const messages = [{ role: 'user', content: query }];

let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
let http: RunningHttp;
let services: MountedServices;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.otherwise(() => brokenReply);
  http = await startCitewell({
    authenticate,
    models: {
      providers: [{ name: 'fake', baseUrl: provider.baseUrl }],
      models: { quality: 'fake/gpt', fast: 'fake/small', reasoning: 'fake/deep' },
      retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 },
    },
    mount(composed) {
      services = composed;
      return { path: '/unused', handler: (_request, _response, next) => next() };
    },
  });
  for (const init of [undefined, asMember]) {
    await http.post('/v3/documents', { raw_text: 'The capital of Portugal is Lisbon.', id: crypto.randomUUID() }, init);
  }
});
afterAll(async () => {
  await http.close();
  await provider.close();
});

const TOLD = 'broke off the connection before its answer was complete. Try again.';
const stream = { rag_generation_config: { stream: true } };

describe.each([
  ['an agent’s answer', '/v3/retrieval/agent', { query, ...stream }],
  ['an agent’s answer that can be resumed', '/v3/retrieval/agent', { query, ...stream, resumable: true }],
  ['an answer of one search', '/v3/retrieval/rag', { query, ...stream }],
  ['a completion', '/v3/retrieval/completion', { messages, generation_config: { stream: true } }],
  ['an unstreamed answer', '/v3/retrieval/rag', { query }],
  ['a chat', '/v1/chat/completions', { model: 'citewell/rag', messages, stream: true }],
  ['a response', '/v1/responses', { model: 'citewell/rag', input: query, stream: true }],
])('%s whose model breaks off', (_what, path, body) => {
  const failed = async (init?: RequestInit) => (await http.post(path, body, init)).text();

  it('does not tell a member where the model is', async () => {
    const text = await failed(asMember);
    expect(text).toContain(TOLD);
    expect(text).not.toContain(provider.origin);
  });

  it('tells the administrator where the model is, in the answer to a member by the log', async () => {
    expect(await failed()).toContain(provider.baseUrl);
    const before = http.logged.length;
    await failed(asMember);
    expect(http.logged.slice(before).map(({ message }) => message)).toContainEqual(
      expect.stringContaining(provider.baseUrl),
    );
  });
});

it('keeps the address from a member who resumes the run, and from the conversation', async () => {
  const text = await (await http.post('/v3/retrieval/agent', { query, ...stream, resumable: true }, asMember)).text();
  const [runId = ''] = eventsOf(text)[0]?.id?.split(':') ?? [];
  const resumed = await (await fetch(`${http.url}/v3/retrieval/runs/${runId}/events`, asMember)).text();
  expect(resumed).toContain(TOLD);
  const { results } = (await (await fetch(`${http.url}/v3/conversations`, asMember)).json()) as {
    readonly results: readonly { readonly id: string }[];
  };
  const stored = await Promise.all(
    results.map(async ({ id }) => (await fetch(`${http.url}/v3/conversations/${id}`, asMember)).text()),
  );
  expect(stored.join()).toContain('It is');
  for (const shown of [resumed, ...stored]) expect(shown).not.toContain(provider.origin);
});

it('keeps the address from a member in the notes of a search', async () => {
  const settings = { search_settings: { search_strategy: 'hyde' }, query };
  const found = async (init?: RequestInit) => (await http.post('/v3/retrieval/search', settings, init)).text();
  expect(await found()).toContain(provider.baseUrl);
  const shown = await found(asMember);
  expect(shown).toContain(TOLD);
  expect(shown).not.toContain(provider.origin);
});

it('keeps the address from a member in the stored reason of a failed document', async () => {
  const reason = `OpenAI broke off the connection before its answer was complete (ECONNRESET) at ${provider.baseUrl}. Try again.`;
  const { results } = (await (
    await http.post('/v3/documents', { raw_text: 'Read by nobody.', id: crypto.randomUUID() }, asMember)
  ).json()) as { readonly results: { readonly document_id: string } };
  const id = results.document_id;
  await services.corpus.fail(id, { reason, remedy: 'retry' });
  const backend = createLocalBackend(services);
  try {
    const shownTo = async (principal: Principal, init?: RequestInit) => [
      await (await fetch(`${http.url}/v3/documents/${id}`, init)).text(),
      await (await fetch(`${http.url}/v3/documents?limit=100`, init)).text(),
      JSON.stringify(
        await backend.call(
          { principal, name: 'corpus_status', arguments: { document_id: id }, folders: [], absent: [] },
          { signal: AbortSignal.timeout(20_000) },
        ),
      ),
    ];
    for (const shown of await shownTo(defaultAdmin)) expect(shown).toContain(reason);
    for (const shown of await shownTo(member, asMember)) {
      expect(shown).toContain(TOLD);
      expect(shown).not.toContain(provider.origin);
    }
  } finally {
    await backend.close();
  }
});

it('names no settings to a member who asks for what is not configured', async () => {
  const path = '/v3/users/oauth/github/authorize';
  expect(await (await fetch(`${http.url}${path}`)).text()).toContain('CITEWELL_OAUTH_ISSUER');
  const shown = await (await fetch(`${http.url}${path}`, asMember)).text();
  expect(shown).toContain('is not supported. Ask the administrator of this server.');
  expect(shown).not.toContain('CITEWELL_');
});

it('keeps the address from a member over MCP', async () => {
  const backend = createLocalBackend(services);
  try {
    const call = async (principal: Principal, name: string, given: object) =>
      JSON.stringify(
        await backend.call(
          { principal, name, arguments: given, folders: [], absent: [] },
          { signal: AbortSignal.timeout(20_000) },
        ),
      );
    const shownTo = async (principal: Principal) => {
      const begun = await call(principal, 'research_start', { query });
      const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(begun)?.[0];
      return [
        await call(principal, 'rag', { query }),
        await call(principal, 'research_result', { research_id: id, wait_seconds: 10 }),
      ];
    };
    for (const shown of await shownTo(defaultAdmin)) expect(shown).toContain(provider.baseUrl);
    for (const shown of await shownTo(member)) {
      expect(shown).toContain(TOLD);
      expect(shown).not.toContain(provider.origin);
    }
  } finally {
    await backend.close();
  }
});
