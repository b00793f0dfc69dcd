import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { AgentEvent } from '../../src/agent/agent-event.ts';
import { ServiceError } from '../../src/errors.ts';
import { createModelRegistry, type ModelSettings } from '../../src/models/registry.ts';
import { addDocument, agentOver, agentRequest, answerIn, kindsOf, textIn } from '../support/agent-over-store.ts';
import { messageReply, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { chatReply, rateLimited, startFakeOpenAi } from '../support/fake-openai.ts';
import { endingAfter, silence } from '../support/fake-provider.ts';
import { PROMPTLY_MS } from '../support/patience.ts';
import { startWireProviders, type WireProvider } from '../support/play-tool-calls.ts';
import { openTestStore } from '../support/store.ts';

// Runs the loop through the providers' own clients, against local servers with their wire formats.

const search = { id: 'toolu_1', name: 'search_file_knowledge', arguments: '{"query": "tea leaves"}' };
const ANSWER = 'Tea is brewed from leaves [1].';

async function storeWithTea() {
  const store = await openTestStore();
  await addDocument(store, 'Tea', ['Tea is brewed from leaves.', 'Coffee is brewed from beans.']);
  return store;
}

async function openAll(): Promise<readonly WireProvider[]> {
  const providers = await startWireProviders();
  onTestFinished(async () => {
    await Promise.all(providers.map(({ server }) => server.close()));
  });
  return providers;
}

async function openChat(settings: ModelSettings = {}) {
  const server = await startFakeOpenAi();
  onTestFinished(() => server.close());
  const models = createModelRegistry({
    providers: [{ name: 'fake', baseUrl: server.baseUrl }],
    models: { quality: 'fake/gpt', fast: 'fake/gpt', reasoning: 'fake/gpt' },
    retry: { maxTries: 3, firstDelayMs: 1, maxDelayMs: 5, maxTotalWaitMs: 2000 },
    ...settings,
  });
  return { server, ...(await agentOver(await storeWithTea(), models)) };
}

/** The events before a run fails, and its error. */
async function untilFailure({ agent }: Pick<Awaited<ReturnType<typeof openChat>>, 'agent'>) {
  const run = await agent.prepare(agentRequest('What is tea made of?'));
  const events: AgentEvent[] = [];
  try {
    for await (const event of run.events(new AbortController().signal)) events.push(event);
  } catch (error) {
    if (error instanceof ServiceError) return { events, error, conversationId: run.conversationId };
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('the agent over a provider’s own client', () => {
  it('emits the same events for each provider, and counts usage', async () => {
    const store = await storeWithTea();
    const kinds: string[][] = [];
    for (const { server, models, reply, name } of await openAll()) {
      server.next(reply({ text: 'Let me look.', toolCalls: [search] }), reply({ text: ANSWER }));
      const events = await (await agentOver(store, models)).ask('What is tea made of?');
      const answer = answerIn(events);
      expect(answer.text, name).toBe(ANSWER);
      expect(answer.citations[0]?.verdict).toBe('verbatim');
      expect(answer.spent.input).toBe(name.startsWith('Anthropic') ? 50 : 22);
      expect(answer.spent.steps).toBe(2);
      kinds.push(kindsOf(events));
    }
    const [first, ...others] = kinds;
    expect(first).toEqual(['message', 'tool_call', 'tool_result', 'message', 'citation', 'message', 'final_answer']);
    for (const other of others) expect(other).toEqual(first);
  });

  it('turns malformed calls streamed in pieces into error results, for each provider', async () => {
    const store = await storeWithTea();
    for (const { server, models, reply } of await openAll()) {
      server.next(
        reply({
          toolCalls: [
            { ...search, arguments: '{"query": "tea' },
            { ...search, id: 'toolu_2', name: 'nothing' },
          ],
        }),
        reply({ toolCalls: [{ ...search, id: 'toolu_3' }] }),
        reply({ text: ANSWER }),
      );
      expect(answerIn(await (await agentOver(store, models)).ask('Tea?')).text).toBe(ANSWER);
    }
  });

  it('sends Anthropic’s thinking back with its signature, with the calls it led to', async () => {
    const server = await startFakeAnthropic();
    onTestFinished(() => server.close());
    const models = createModelRegistry({
      anthropic: { apiKey: 'sk-ant-test', baseUrl: server.baseUrl },
      models: { quality: 'anthropic/claude-sonnet-4-5' },
    });
    const { ask } = await agentOver(await storeWithTea(), models);
    server.next(
      messageReply({
        thinking: { text: 'I should look it up.', signature: 'sig-1' },
        redacted: 'opaque',
        toolCalls: [search],
      }),
      messageReply({ thinking: { text: 'Now I know.', signature: 'sig-2' }, text: ANSWER }),
    );
    const generation = { extendedThinking: true, thinkingBudget: 2048, maxTokens: 8000 };
    const events = await ask('What is tea made of?', { generation });
    expect(kindsOf(events)).toEqual([
      'thinking',
      'tool_call',
      'tool_result',
      'thinking',
      'message',
      'citation',
      'message',
      'final_answer',
    ]);
    const [, second] = server.requests;
    expect(second?.body.messages[1].content).toMatchObject([
      { type: 'thinking', thinking: 'I should look it up.', signature: 'sig-1' },
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'tool_use', id: 'toolu_1', input: { query: 'tea leaves' } },
    ]);
    expect(second?.body.messages[2].content[0]).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_1' });
    // Prompt caching depends on an unchanged prefix.
    expect(second?.body.system).toEqual(server.requests[0]?.body.system);
    expect(second?.body.tools).toEqual(server.requests[0]?.body.tools);
    expect(second?.body.system[0].cache_control).toEqual({ type: 'ephemeral' });
  });

  it('counts cached input tokens as input', async () => {
    const server = await startFakeAnthropic();
    onTestFinished(() => server.close());
    const models = createModelRegistry({ anthropic: { apiKey: 'sk-ant-test', baseUrl: server.baseUrl } });
    const { ask } = await agentOver(await storeWithTea(), models);
    server.next(messageReply({ text: 'Leaves.', usage: { input: 10, cacheWritten: 20, cacheRead: 70, output: 5 } }));
    expect(answerIn(await ask('Tea?')).spent).toMatchObject({ input: 100, cachedInput: 70, output: 5 });
  });

  it('waits as long as the provider asks before it retries', async () => {
    const { server, ask } = await openChat();
    server.next(
      rateLimited('0.2'),
      chatReply({ toolCalls: [search] }),
      rateLimited('0.1'),
      chatReply({ text: ANSWER }),
    );
    expect(answerIn(await ask('Tea?')).text).toBe(ANSWER);
    const at = server.requests.map((request) => request.at);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(190);
    expect((at[3] ?? 0) - (at[2] ?? 0)).toBeGreaterThanOrEqual(90);
  });

  it('ends with advice when the provider asks for a longer wait than allowed', async () => {
    const { server, ...rest } = await openChat();
    server.next(rateLimited('3600'));
    const { error, events } = await untilFailure(rest);
    expect(error).toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
    expect(events).toEqual([]);
  });

  it('ends in a clear failure when a stream is cut, and keeps what was produced', async () => {
    const { server, conversations, ...rest } = await openChat({
      retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 },
    });
    server.next(
      chatReply({ toolCalls: [search] }),
      endingAfter(4, chatReply({ text: 'Tea is brewed from leaves [1].' }), { cut: true }),
    );
    const { error, events, conversationId } = await untilFailure(rest);
    expect(error).toMatchObject({
      code: 'provider_failed',
      message: expect.stringMatching(/broke off|could not be reached/),
    });
    expect(kindsOf(events)).toEqual(['tool_call', 'tool_result', 'message']);
    const kept = await conversations.messages(defaultAdmin, conversationId);
    expect(kept.map(({ role, content, metadata }) => [role, content, metadata['interrupted'] ?? false])).toEqual([
      ['user', 'What is tea made of?', false],
      ['assistant', textIn(events).trim(), true],
    ]);
  });

  it('ends in a clear failure when a provider falls silent in the middle', async () => {
    const { server, ...rest } = await openChat({
      timeLimits: { firstEventMs: 2000, idleMs: 100 },
      retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 },
    });
    server.next(
      chatReply({ toolCalls: [search] }),
      endingAfter(3, chatReply({ text: 'Tea is brewed' }), { hang: true }),
    );
    const { error } = await untilFailure(rest);
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('fell silent') });
    expect(await server.requests[1]?.end).toBe('left');
  });

  it('cancels the provider’s stream at once when it is cancelled', async () => {
    const { server, agent } = await openChat();
    server.next(silence);
    const cancel = new AbortController();
    const run = await agent.prepare(agentRequest('Tea?'));
    const reading = (async () => {
      for await (const _ of run.events(cancel.signal));
    })();
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const startedAt = performance.now();
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    expect(await server.requests[0]?.end).toBe('left');
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  });

  it('runs the whole loop with a model without tool support', async () => {
    const { server, ask } = await openChat({ textTools: ['fake/gpt'] });
    const call = '```tool_calls\n[{"name": "search_file_knowledge", "arguments": {"query": "tea leaves"}}]\n```';
    server.next(chatReply({ text: `Let me look.\n${call}` }), chatReply({ text: ANSWER }));
    const events = await ask('What is tea made of?');
    expect(kindsOf(events)).toEqual([
      'message',
      'tool_call',
      'tool_result',
      'message',
      'citation',
      'message',
      'final_answer',
    ]);
    expect(answerIn(events)).toMatchObject({ text: ANSWER, toolCalls: [{ name: 'search_file_knowledge' }] });
    expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('Result of search_file_knowledge'),
    });
  });
});
