import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { createBudget, requirePrices } from '../../src/agent/budget.ts';
import { DEFAULT_MODELS } from '../../src/models/default-models.ts';
import type { ToolCall } from '../../src/models/message.ts';
import { costOf, listPrices, outputFor, priceOf } from '../../src/models/prices.ts';
import { addDocument, agentOver, answerIn, resultsIn } from '../support/agent-over-store.ts';
import { calls, onlyModel, type ScriptedTurn, says, scriptedModel } from '../support/scripted-model.ts';
import { openTestStore } from '../support/store.ts';

const prices = { 'test/': { input: 1, cachedInput: 0.1, output: 10 } };
const usage = (input: number, output: number, cachedInput = 0) => ({ input, output, cachedInput, reasoning: 0 });
const search = (id: string, query: string): ToolCall => ({ id, name: 'search_file_knowledge', arguments: { query } });

async function open(...turns: ScriptedTurn[]) {
  const store = await openTestStore();
  await addDocument(store, 'Tea', ['Tea is brewed from leaves.', 'Coffee is brewed from beans.']);
  const model = scriptedModel(...turns);
  return { store, model, ...(await agentOver(store, onlyModel(model))) };
}

describe('a budget', () => {
  it('counts cached input as tokens and at its own price', () => {
    const budget = createBudget({ limits: { steps: 5, tokens: 1000 }, prices, models: ['test/a'] });
    budget.startStep();
    budget.add('test/a', usage(600, 50, 500));
    expect(budget.spent()).toMatchObject({ input: 600, cachedInput: 500, output: 50, steps: 1 });
    expect(budget.spent().dollars).toBeCloseTo((100 * 1 + 500 * 0.1 + 50 * 10) / 1e6, 12);
    expect(budget.tokensLeft()).toBe(350);
    expect(budget.outputLeft(200)).toBe(150);
    expect(budget.limitExceededBy(250)).toBeUndefined();
    expect(budget.limitExceededBy(300)).toBe('tokens');
    expect(budget.limitAfterStep(80)).toBeUndefined();
    expect(budget.limitAfterStep(100)).toBe('tokens');
  });

  it('refuses a money limit when the price of any model involved is unknown', () => {
    const check = (dollars: number | undefined, ...models: [string, ...string[]]) =>
      requirePrices({ limits: { steps: 1, ...(dollars !== undefined && { dollars }) }, prices, models });
    expect(() => check(1, 'test/a', 'new/b')).toThrow(/none is known for new\/b\. Name it in CITEWELL_PRICES/);
    expect(() => check(1, 'test/a')).not.toThrow();
    expect(() => check(undefined, 'new/b')).not.toThrow();
  });

  it('refuses further calls under a money limit after a call of a model without a price', () => {
    const budget = createBudget({ limits: { steps: 9, dollars: 1 }, prices, models: ['test/a'] });
    budget.add('other/fallback', usage(10, 10));
    expect(budget.spent().dollars).toBeNull();
    expect(budget.limitExceededBy(10)).toBe('money');
  });

  it('limits the output of a call to what the remaining money pays for', () => {
    const budget = createBudget({ limits: { steps: 9, dollars: 0.01 }, prices, models: ['test/a'] });
    // A cent pays for 1,000 output tokens or 10,000 input tokens.
    expect(budget.outputLeft(0)).toBe(1000);
    expect(budget.outputLeft(5000)).toBe(500);
    expect(budget.limitExceededBy(9500)).toBe('money');
  });
});

describe('prices', () => {
  it('are known for every default model', () => {
    for (const slots of Object.values(DEFAULT_MODELS)) {
      for (const name of Object.values(slots)) expect(priceOf(name, listPrices), name).toBeDefined();
    }
  });

  it.each([
    ['openai/gpt-4.1-2025-04-14', 'openai/gpt-4.1'],
    ['openai/gpt-4.1-mini', 'openai/gpt-4.1-mini'],
    ['anthropic/claude-haiku-4-20260101', 'anthropic/claude-haiku-4'],
    ['anthropic/claude-opus-5-5', 'anthropic/claude-opus-5-5'],
    ['ollama/gemma3:4b', 'ollama/'],
  ])('of %s are those of %s', (model, name) => {
    expect(priceOf(model, listPrices)).toBe(listPrices[name]);
  });

  it.each(['openai/gpt-5-pro', 'anthropic/claude-opus-4-9', 'openai/gpt-50', 'groq/llama'])(
    'of %s are unknown',
    (model) => {
      expect(priceOf(model, listPrices)).toBeUndefined();
    },
  );

  it('are higher for a whole call with a long input', () => {
    const price = priceOf('anthropic/claude-haiku-5-5', listPrices) ?? listPrices['builtin/'];
    if (price === undefined) throw new Error('There is no price.');
    expect(costOf(usage(100_000, 1000), price)).toBeCloseTo(0.0105, 10);
    expect(costOf(usage(100_001, 1000), price)).toBeCloseTo(0.0525005, 10);
    expect(outputFor(0.0105, 100_000, price)).toBe(1000);
    expect(outputFor(0.0105, 100_001, price)).toBe(0);
  });
});

describe('a run under a budget', () => {
  it('ends before a call that its tokens do not cover, and keeps the text so far', async () => {
    const { ask } = await open(function* () {
      yield { type: 'text', text: 'Tea, it seems' };
      yield { type: 'tool_call', call: search('1', 'tea') };
      yield { type: 'stop', reason: 'tool_calls', usage: usage(4900, 100), model: 'test/scripted' };
    });
    const events = await ask('Tea or coffee?', { limits: { tokens: 5500 } });
    expect(resultsIn(events)).toHaveLength(1);
    expect(answerIn(events)).toMatchObject({
      text: 'Tea, it seems',
      ended: 'tokens',
      spent: { input: 4900, output: 100, steps: 1 },
    });
  });

  it('asks for the answer when the tokens suffice for only one more call', async () => {
    const { ask, model } = await open(says('Tea.'));
    const answer = answerIn(await ask('Tea or coffee?', { limits: { tokens: 2500 } }));
    expect(model.requests[0]).toMatchObject({ toolChoice: 'none' });
    expect(model.requests[0]?.config.maxTokens).toBeLessThan(1500);
    expect(answer).toMatchObject({ text: 'Tea.', ended: 'tokens' });
  });

  it('says so when nothing was written before the limit', async () => {
    const { ask } = await open();
    const events = await ask('Tea or coffee?', { limits: { tokens: 10 } });
    expect(answerIn(events)).toMatchObject({
      ended: 'tokens',
      text: 'The token limit of this request was reached before an answer was written. No sources were found before that.',
    });
    expect(events.map(({ type }) => type)).toEqual(['message', 'final_answer']);
  });

  it('cancels the model at the time limit, and keeps and counts its output', async () => {
    const { ask } = await open(async function* (request) {
      yield { type: 'text', text: 'It is tea, because' };
      await sleep(60_000, undefined, { signal: request.signal, ref: false });
    });
    const answer = answerIn(await ask('Tea or coffee?', { limits: { seconds: 0.3 } }));
    expect(answer).toMatchObject({ text: 'It is tea, because', ended: 'time' });
    expect(answer.spent.input).toBeGreaterThan(0);
    expect(answer.spent.output).toBeGreaterThan(0);
  });

  it('ends at the money limit, and reports the cost', async () => {
    const { ask } = await open(function* () {
      yield { type: 'tool_call', call: search('1', 'tea') };
      yield { type: 'stop', reason: 'tool_calls', usage: usage(3900, 100), model: 'test/scripted' };
    });
    const answer = answerIn(await ask('Tea or coffee?', { limits: { dollars: 0.006 } }));
    expect(answer.ended).toBe('money');
    expect(answer.spent.dollars).toBeCloseTo(0.0049, 10);
    expect(answer.text).toContain('2 sources were found before that.');
  });

  it('shares its tokens with its sub-questions, which count their own steps', async () => {
    const rag = (id: string, query: string): ToolCall => ({ id, name: 'rag', arguments: { query } });
    const { ask, model } = await open(
      calls(rag('1', 'What is tea brewed from?')),
      calls(search('s', 'tea')),
      says('Leaves [1].'),
      says('Tea is brewed from leaves [1].'),
    );
    const events = await ask('Tea?', { mode: 'research', tools: ['rag'], limits: { steps: 4 } });
    const answer = answerIn(events);
    expect(model.requests).toHaveLength(4);
    expect(answer.spent).toMatchObject({ steps: 2, input: 40, output: 20 });
    expect(answer.citations[0]).toMatchObject({ verdict: 'verbatim', source: { kind: 'chunk' } });
  });

  it('is refused before anything is written when a money limit could not be kept', async () => {
    const store = await openTestStore();
    const { ask, conversations } = await agentOver(store, onlyModel(scriptedModel()), { settings: { prices: {} } });
    await expect(ask('Tea?', { limits: { dollars: 1 } })).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await conversations.list(defaultAdmin, { ids: [], offset: 0, limit: 9 })).total).toBe(0);
  });
});
