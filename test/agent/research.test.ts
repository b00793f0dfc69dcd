import { describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/agent/agent.ts';
import type { GraphHit } from '../../src/documents/graph-hit.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive-model.ts';
import type { ToolCall } from '../../src/models/message.ts';
import type { GraphSearch } from '../../src/store/graph-search.ts';
import { addDocument, agentOver, answerIn, kindsOf, resultsIn } from '../support/agent-over-store.ts';
import { calls, onlyModel, type ScriptedTurn, says, scriptedModel } from '../support/scripted-model.ts';
import { openTestStore } from '../support/store.ts';

const call = (id: string, name: string, given: unknown): ToolCall => ({ id, name, arguments: given });
const search = (id: string, query: string) => call(id, 'search_file_knowledge', { query });
const review = (verdict: string, explanation = 'Wrong plant.') =>
  says(
    JSON.stringify({
      verdict,
      summary: 'So.',
      issues: verdict === 'sound' ? [] : [{ severity: 'high', type: 'facts', explanation }],
    }),
  );

async function open(...turns: readonly ScriptedTurn[]) {
  const store = await openTestStore();
  await addDocument(store, 'Tea', ['Tea is brewed from leaves.', 'Coffee is brewed from beans.']);
  const model = scriptedModel(...turns);
  const agent = await agentOver(store, onlyModel(model));
  const ask = (message: string, change: Partial<AgentRequest> = {}) =>
    agent.ask(message, { mode: 'research', ...change });
  return { store, model, ask };
}

/** Long enough for a review. */
const LONG = 'It is said that much else is known of tea. '.repeat(12).trim();

describe('research', () => {
  it('skips plan and review for a simple question with a short, supported answer', async () => {
    const plain = await open(says('Hello. What would you like to know?'));
    expect(answerIn(await plain.ask('Hi there')).text).toBe('Hello. What would you like to know?');
    expect(plain.model.requests).toHaveLength(1);
    const supported = await open(
      calls(call('a', 'rag', { query: 'tea?' })),
      calls(search('s', 'tea leaves')),
      says('Tea is brewed from leaves [1].'),
      says('Tea is brewed from leaves [1].'),
    );
    expect(answerIn(await supported.ask('What is tea brewed from?')).text).toBe('Tea is brewed from leaves [1].');
    expect(supported.model.requests).toHaveLength(4);
  });

  it('reviews a short answer whose citations are not supported', async () => {
    const { ask } = await open(
      calls(call('a', 'rag', { query: 'tea?' })),
      calls(search('s', 'tea leaves')),
      says('Tea is brewed from leaves [1].'),
      says('Every lighthouse keeper drinks mulled cider [1].'),
      review('major_issues'),
      says('Tea is brewed from leaves [1].'),
    );
    expect(answerIn(await ask('What is tea brewed from?')).text).toBe('Tea is brewed from leaves [1].');
  });

  it('plans, answers sub-questions concurrently, reviews its draft, and revises it', async () => {
    const byQuestion = (request: Parameters<ScriptedTurn>[0]) =>
      request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    // Two sub-questions run concurrently, so their turns have no fixed order.
    const inner: ScriptedTurn = function* (request) {
      const topic = byQuestion(request).includes('coffee') ? 'coffee' : 'tea';
      const isFirst = request.messages.at(-1)?.role === 'user';
      const said = topic === 'tea' ? 'Tea is brewed from leaves [1].' : 'Coffee is brewed from beans [1].';
      yield* (isFirst ? calls(search(topic, `${topic} brewed`)) : says(said))(request) as Iterable<never>;
    };
    const { ask, model } = await open(
      says('1. tea\n2. coffee'),
      calls(call('a', 'rag', { query: 'What is tea?' }), call('b', 'rag', { query: 'What is coffee?' })),
      inner,
      inner,
      inner,
      inner,
      says(`Tea is brewed from bark [1]. ${LONG}`),
      review('major_issues'),
      says('Tea is brewed from leaves [1], coffee from beans [2].'),
    );
    const events = await ask('What is tea brewed from? And what is coffee brewed from?', {
      generation: { extendedThinking: true },
    });
    expect(kindsOf(events)).toEqual([
      'thinking',
      'tool_call',
      'tool_result',
      'message',
      'citation',
      'message',
      'tool_call',
      'tool_result',
      'message',
      'citation',
      'message',
      'citation',
      'message',
      'final_answer',
    ]);
    const answer = answerIn(events);
    expect(answer.text).toMatch(/^Tea is brewed from leaves \[\d\], coffee from beans \[\d\]\.$/);
    expect(answer).toMatchObject({
      mode: 'research',
      ended: 'end',
      toolCalls: [{ name: 'rag' }, { name: 'rag' }, { name: 'critique' }],
    });
    expect(model.requests[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', text: 'Plan:\n1. tea\n2. coffee' });
    const mending = model.requests.at(-1)?.messages ?? [];
    expect(mending.at(-1)?.text).toContain('give the complete answer');
    // The review's prompt includes the results of the citation check.
    expect(model.requests.at(-2)?.messages.at(-1)?.text).toContain('Tea is brewed from bark');
  });

  it('tells the agent which words of the sources support a sub-answer, and which statements none does', async () => {
    const { ask } = await open(
      calls(call('a', 'rag', { query: 'What is tea?' })),
      calls(search('s', 'tea leaves')),
      says('Tea is brewed from leaves [1]. Every lighthouse keeper drinks mulled cider.'),
      says('Tea is brewed from leaves [1].'),
    );
    const [{ content } = { content: '' }] = resultsIn(await ask('What is tea?', { tools: ['rag'] }));
    expect(content).toMatch(/\[1\] Tea · \S+ · verbatim · “Tea is brewed from leaves\.” \(characters 0-26\)/);
    expect(content).toContain('Not supported by any source:\n- Every lighthouse keeper drinks mulled cider.');
  });

  it('limits a sub-question to the documents it names', async () => {
    const store = await openTestStore();
    const tea = await addDocument(store, 'Tea', ['Tea is brewed from leaves.']);
    await addDocument(store, 'Herbs', ['Herbs are brewed from leaves.']);
    const model = scriptedModel(
      calls(
        call('a', 'rag', { query: 'What is brewed from leaves?', document_ids: [tea.id.slice(0, 8)] }),
        call('b', 'rag', { query: 'What is brewed?', document_ids: ['ffff0000'] }),
      ),
      calls(search('s', 'brewed from leaves')),
      says('Tea is brewed from leaves [1].'),
      says('Tea is brewed from leaves [1].'),
    );
    const agent = await agentOver(store, onlyModel(model));
    const events = await agent.ask('What is brewed from leaves?', { mode: 'research' });
    const results = resultsIn(events).map(({ content }) => content);
    expect(results.toSorted()).toEqual([
      expect.stringMatching(/^Error \[not_found\]/),
      expect.stringMatching(/^Tea is brewed/),
    ]);
    const inner = model.requests[2]?.messages.at(-1)?.text ?? '';
    expect(inner).toContain('Tea is brewed');
    expect(inner).not.toContain('Herbs');
  });

  it('shows a fact of the graph once per run', async () => {
    const found = { kind: 'entity', name: 'Assam', category: null, description: 'A region known for tea.' } as const;
    const hit: GraphHit = { id: 'e1', score: 1, chunkIds: [], documents: [], found };
    const graphSearch: GraphSearch = {
      search: async () => ({ entities: [hit], relationships: [], communities: [] }),
    };
    const store = { ...(await openTestStore()), graphSearch };
    await addDocument(store, 'Tea', ['Tea is brewed from leaves.', 'Coffee is brewed from beans.']);
    const model = scriptedModel(
      calls(search('a', 'tea leaves')),
      calls(search('b', 'coffee beans')),
      says('Tea is brewed from leaves [1].'),
    );
    const agent = await agentOver(store, onlyModel(model));
    const results = resultsIn(await agent.ask('What is brewed?')).map(({ content }) => content);
    expect(results.map((content) => content.includes('A region known for tea.'))).toEqual([true, false]);
    expect(results.every((content) => content.includes('Coffee is brewed from beans.'))).toBe(true);
  });

  it('answers with its draft when the review finds nothing', async () => {
    const { ask, model } = await open(
      calls(call('a', 'rag', { query: 'tea?' })),
      calls(search('s', 'tea leaves')),
      says('Tea is brewed from leaves [1].'),
      says(`Tea is brewed from leaves [1]. ${LONG}`),
      review('sound'),
    );
    const events = await ask('Tea?');
    expect(answerIn(events)).toMatchObject({
      text: `Tea is brewed from leaves [1]. ${LONG}`,
      citations: [{ verdict: 'verbatim' }],
    });
    expect(resultsIn(events).map(({ name }) => name)).toEqual(['rag', 'critique']);
    expect(model.requests).toHaveLength(5);
  });

  it('skips the review when the model requested one itself, or the budget does not cover it', async () => {
    const own = await open(calls(call('c', 'critique', { text: 'Tea is bark.' })), review('minor_issues'), says(LONG));
    expect(answerIn(await own.ask('Tea?')).text).toBe(LONG);
    const short = await open(says(LONG));
    expect(answerIn(await short.ask('Tea?', { limits: { steps: 1 } })).text).toBe(LONG);
    const without = await open(says(LONG));
    expect(answerIn(await without.ask('Tea?', { tools: ['rag'] })).text).toBe(LONG);
  });

  it('answers with its draft when the reviewer fails or says nothing usable', async () => {
    const { ask } = await open(says(LONG), says(''), says(''));
    // A review without a verdict is ignored, because it gives the model nothing to correct.
    expect(answerIn(await ask('Tea?')).text).toBe(LONG);
  });

  it('reports a failed sub-question as a result, and goes on', async () => {
    const { ask } = await open(
      calls(call('a', 'rag', { query: 'tea?' })),
      () => {
        throw new Error('inner');
      },
      says('I do not know.'),
    );
    const events = await ask('Tea?', { tools: ['rag'] });
    expect(resultsIn(events)[0]).toMatchObject({
      isError: true,
      content: expect.stringMatching(/^Error \[internal\]: rag failed/),
    });
    expect(answerIn(events).text).toBe('I do not know.');
  });

  it('hands a hard problem to the reasoning model, which sees only what it is given', async () => {
    const { ask, model } = await open(
      calls(call('r', 'reasoning', { query: 'Is bark a leaf?', context: 'Tea is brewed from leaves.', effort: 'low' })),
      says('No. Steps: 1. Assumptions: none. Confidence: high.'),
      says('No.'),
    );
    const events = await ask('Tea?', { tools: ['reasoning'] });
    expect(model.requests[1]).toMatchObject({ tools: [], config: { reasoningEffort: 'low' } });
    expect(model.requests[1]?.messages.map(({ text }) => text).join('\n')).toContain(
      '<material>\nTea is brewed from leaves.\n</material>',
    );
    expect(resultsIn(events)[0]?.content).toContain('Confidence: high.');
    expect(answerIn(events).spent).toMatchObject({ input: 30, output: 15 });
  });
});

describe('with no language model', () => {
  const open_ = async () => {
    const store = await openTestStore();
    await addDocument(store, 'Tea', [
      'Tea is brewed from leaves.',
      'It was first drunk in China.',
      'Coffee is brewed from beans.',
    ]);
    return await agentOver(store, onlyModel(createExtractiveModel()));
  };

  it.each(['rag', 'research'] as const)(
    'a fixed plan runs through the same loop and events, and says so: %s',
    async (mode) => {
      const { ask } = await open_();
      const events = await ask('What is tea brewed from?', { mode });
      expect(resultsIn(events).map(({ name }) => name)).toEqual(['search_file_knowledge', 'content', 'content']);
      const answer = answerIn(events);
      expect(answer).toMatchObject({
        isExtractive: true,
        model: 'builtin/extractive',
        support: 'answer',
        ended: 'end',
        spent: { input: 0, output: 0, dollars: 0 },
      });
      expect(answer.text).toMatch(/^Answered without a language model; these passages match your question best:/);
      expect(answer.text).toContain('“Tea is brewed from leaves.” [1]');
      expect(answer.citations.every(({ verdict }) => verdict === 'verbatim')).toBe(true);
    },
  );

  it('reads the documents whose descriptions match when their text is not searched', async () => {
    const { ask } = await open_();
    const tools = ['search_file_descriptions', 'get_file_content'];
    const events = await ask('What is tea brewed from?', { tools });
    expect(resultsIn(events).map(({ name }) => name)).toEqual(tools);
    const answer = answerIn(events);
    expect(answer.text).toContain('“Tea is brewed from leaves.” [1]');
    expect(answer.citations.map(({ quotes }) => quotes.map(({ text, start }) => ({ text, start })))[0]).toEqual([
      { text: 'Tea is brewed from leaves', start: 0 },
    ]);
  });

  it('answers each turn from its own question', async () => {
    const { ask } = await open_();
    const { conversationId } = answerIn(await ask('What is tea brewed from?'));
    const answer = answerIn(await ask('What is coffee brewed from?', { conversationId }));
    expect(answer.text).toContain('“Coffee is brewed from beans.” [1]');
  });
});
