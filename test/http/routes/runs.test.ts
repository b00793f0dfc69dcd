import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAdmin, type Principal } from '../../../src/access/principal.ts';
import { chatReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import type { Reply } from '../../support/fake-provider.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';
import { eventsOf, readUntil } from '../support/stream.ts';

const otherUser: Principal = { ...defaultAdmin, userId: '11111111-1111-4111-8111-111111111111', isSuperuser: false };
const GRACE = 400;
const WORDS = 'one two three four five six seven eight nine ten eleven twelve';

let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
let http: RunningHttp;
beforeAll(async () => {
  provider = await startFakeOpenAi();
  http = await startCitewell({
    grace: GRACE,
    authenticate: async ({ apiKey }) => (apiKey === undefined ? defaultAdmin : otherUser),
    models: { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], models: { quality: 'fake/gpt' } },
  });
  await http.post('/v3/documents', { raw_text: 'Numbers from one to twelve.' });
});
afterAll(async () => {
  await http.close();
  await provider.close();
});

const faces = {
  agent: { path: '/v3/retrieval/agent', body: { needs_initial_conversation_name: false } },
  rag: { path: '/v3/retrieval/rag', body: {} },
} as const;
type Face = keyof typeof faces;

const ask = (face: Face, more: object = {}, init?: RequestInit) =>
  http.post(
    faces[face].path,
    { query: 'Count the numbers', rag_generation_config: { stream: true }, ...faces[face].body, ...more },
    init,
  );
const slowly = (pause: number, text = WORDS): Reply => {
  const reply = chatReply({ text });
  return { ...reply, steps: reply.steps.flatMap((step) => [{ wait: pause }, step]) };
};
const hanging = (): Reply => {
  const reply = chatReply({ text: WORDS });
  return { ...reply, steps: [...reply.steps.slice(0, 4), { hang: true }] };
};
const resume = (id: string, lastEventId?: string, init: RequestInit = {}) =>
  fetch(`${http.url}/v3/retrieval/runs/${id}/events`, {
    ...init,
    headers: { ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }), ...init.headers },
  });
const recordOf = async (id: string) => {
  const response = await fetch(`${http.url}/v3/retrieval/runs/${id}`);
  return ((await response.json()) as { results: { status: string } }).results;
};
/** Disconnects after a text has arrived; returns what was read and the run. */
async function leaveAfter(text: string, face: Face, more: object = {}) {
  const leaving = new AbortController();
  const response = await ask(face, more, { signal: leaving.signal });
  const run = response.headers.get('x-run-id') ?? '';
  const conversation = response.headers.get('x-conversation-id') ?? '';
  return { seen: await readUntil(response, text, leaving), run, conversation };
}

describe.each(['agent', 'rag'] as const)('a stream of /%s', (face) => {
  it('is resumed after each lost connection, with no event repeated or missing', async () => {
    provider.next(slowly(15));
    const { seen: first, run } = await leaveAfter('three', face);
    let seen = first;
    for (const word of ['six', 'nine']) {
      const leaving = new AbortController();
      const response = await resume(run, eventsOf(seen).at(-1)?.id, { signal: leaving.signal });
      seen += await readUntil(response, word, leaving);
    }
    seen += await (await resume(run, eventsOf(seen).at(-1)?.id)).text();
    expect(seen).toBe(await (await resume(run)).text());
    const events = eventsOf(seen);
    expect(events.map(({ id }) => id)).toEqual([
      ...events.slice(1).map((_, index) => `${run}:${index + 1}`),
      undefined,
    ]);
    expect(events.slice(-2).map(({ name }) => name)).toEqual(['final_answer', 'done']);
    const said = events.flatMap(({ name, data }) => (name === 'message' ? [data.delta.content[0].payload.value] : []));
    expect(said.join('')).toBe(WORDS);
    expect(await recordOf(run)).toMatchObject({ status: 'ended', kind: face, events: events.length - 1 });
  });

  it('that is cancelled stops the model and ends with an error that says so', async () => {
    provider.next(hanging());
    const response = await ask(face);
    const run = response.headers.get('x-run-id');
    const rest = response.text();
    const cancelled = await http.post(`/v3/retrieval/runs/${run}/cancel`, '');
    expect(await cancelled.json()).toMatchObject({ results: { id: run, status: 'cancelled' } });
    expect(await provider.requests.at(-1)?.end).toBe('left');
    const events = eventsOf(await rest);
    expect(events.slice(-2)).toMatchObject([
      { name: 'error', data: { error: { code: 'cancelled', message: 'The run was cancelled.' } } },
      { name: 'done' },
    ]);
    expect(events.map(({ name }) => name)).not.toContain('final_answer');
  });

  it('whose reader does not return stops its model after the grace time', async () => {
    provider.next(hanging());
    const { run } = await leaveAfter('event: message', face);
    const leftAt = performance.now();
    expect(await provider.requests.at(-1)?.end).toBe('left');
    expect(performance.now() - leftAt).toBeGreaterThan(GRACE - 100);
    await expect.poll(() => recordOf(run)).toMatchObject({ status: 'cancelled' });
  });

  it('that is resumable runs to its end without a reader', async () => {
    provider.next(slowly(60));
    const { run } = await leaveAfter('event: message', face, { resumable: true });
    expect(await provider.requests.at(-1)?.end).toBe('finished');
    await expect.poll(() => recordOf(run)).toMatchObject({ status: 'ended' });
    expect(eventsOf(await (await resume(run)).text()).at(-2)?.name).toBe('final_answer');
  });
});

describe('a run of an agent', () => {
  const contents = async (conversation: string) => {
    const response = await fetch(`${http.url}/v3/conversations/${conversation}`);
    const { results } = (await response.json()) as { results: { message: { content: string }; metadata: object }[] };
    return results.map(({ message, metadata }) => ({ content: message.content, metadata }));
  };

  it('that is cancelled leaves its partial answer in the conversation', async () => {
    provider.next(hanging());
    const { run, conversation } = await leaveAfter('event: message', 'agent');
    await http.post(`/v3/retrieval/runs/${run}/cancel`, '');
    expect(await contents(conversation)).toMatchObject([
      { content: 'Count the numbers' },
      { content: expect.stringMatching(/^one/), metadata: { interrupted: true } },
    ]);
  });

  it('that is resumable is stored when it ends, streamed or not', async () => {
    provider.next(slowly(20));
    const { conversation } = await leaveAfter('event: message', 'agent', { resumable: true });
    await expect.poll(() => contents(conversation)).toMatchObject([{}, { content: WORDS }]);

    const created = await http.post('/v3/conversations', {});
    const { id } = ((await created.json()) as { results: { id: string } }).results;
    provider.next(slowly(20));
    const leaving = new AbortController();
    const asked = provider.requests.length;
    const whole = { resumable: true, conversation_id: id, rag_generation_config: {} };
    const response = ask('agent', whole, { signal: leaving.signal });
    await expect.poll(() => provider.requests.length).toBe(asked + 1);
    leaving.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => contents(id)).toMatchObject([{}, { content: WORDS }]);
  });

  it('that is not streamed is cancelled at once when its client disconnects', async () => {
    provider.next(hanging());
    const leaving = new AbortController();
    const asked = provider.requests.length;
    const response = ask('agent', { rag_generation_config: {} }, { signal: leaving.signal });
    await expect.poll(() => provider.requests.length).toBe(asked + 1);
    await sleep(20);
    leaving.abort();
    await expect(response).rejects.toThrow();
    expect(await provider.requests.at(-1)?.end).toBe('left');
  });
});

describe('runs', () => {
  it('are listed newest first, and only to their user', async () => {
    provider.next(chatReply({ text: 'Twelve.' }));
    const response = await ask('rag');
    await response.text();
    const run = response.headers.get('x-run-id') ?? '';
    const listed = (await (await fetch(`${http.url}/v3/retrieval/runs`)).json()) as { results: object[] };
    expect(listed.results[0]).toEqual({
      id: run,
      kind: 'rag',
      status: 'ended',
      events: expect.any(Number),
      conversation_id: null,
      started_at: expect.stringMatching(/Z$/),
      ended_at: expect.stringMatching(/Z$/),
    });
    const headers = { 'X-Api-Key': 'key' };
    expect((await resume(run, undefined, { headers })).status).toBe(404);
    expect((await fetch(`${http.url}/v3/retrieval/runs/${run}`, { headers })).status).toBe(404);
    expect((await http.post(`/v3/retrieval/runs/${run}/cancel`, '', { headers })).status).toBe(404);
    const foreign = (await (await fetch(`${http.url}/v3/retrieval/runs`, { headers })).json()) as { results: object[] };
    expect(foreign.results).toEqual([]);
  });

  it('are followed from an event named in header or query, and refuse events of other runs', async () => {
    provider.next(chatReply({ text: 'Twelve.' }));
    const response = await ask('rag');
    const events = eventsOf(await response.text());
    const run = response.headers.get('x-run-id') ?? '';
    const eventsAfter = async (query: string) =>
      eventsOf(await (await fetch(`${http.url}/v3/retrieval/runs/${run}/events?after=${query}`)).text());
    expect(await eventsAfter('1')).toEqual(events.slice(1));
    expect(await eventsAfter(`${run}:2`)).toEqual(events.slice(2));
    expect(await eventsAfter(String(events.length - 1))).toEqual(events.slice(-1));
    for (const wrong of ['99', 'x', `${run}:x`, 'another:1', '-1']) {
      expect((await resume(run, wrong)).status).toBe(400);
    }
    expect((await resume('no-such-run')).status).toBe(404);
  });
});
