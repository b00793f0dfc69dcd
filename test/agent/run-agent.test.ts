import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent } from '../../src/agent/agent-event.ts';
import type { ToolCall } from '../../src/models/message.ts';
import { defineTool, type Tool } from '../../src/toolbox/tool.ts';
import { addDocument, agentOver, answerIn, kindsOf, resultsIn, textIn } from '../support/agent-over-store.ts';
import { calls, onlyModel, type ScriptedTurn, says, scriptedModel, thinks } from '../support/scripted-model.ts';
import { openTestStore } from '../support/store.ts';

const call = (id: string, name: string, given: unknown = {}): ToolCall => ({ id, name, arguments: given });

/** A tool with behaviour defined by the test. */
function tool(
  name: string,
  execute: (input: { word: string }, signal: AbortSignal) => Promise<string>,
  deadline = 5000,
): Tool {
  return defineTool({
    name,
    title: name,
    description: name,
    input: z.object({ word: z.string().default(''), other: z.number().optional() }),
    output: z.object({ text: z.string() }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    deadline,
    async execute(input, { signal }) {
      const text = await execute(input, signal);
      return { text, structured: { text } };
    },
  });
}

async function open(turns: readonly ScriptedTurn[], tools?: readonly Tool[]) {
  const store = await openTestStore();
  const model = scriptedModel(...turns);
  const names = tools?.map(({ name }) => name) ?? [];
  const agent = await agentOver(
    store,
    onlyModel(model),
    tools === undefined ? {} : { tools: { tools, toolNames: { rag: names, research: names } } },
  );
  const asked = tools === undefined ? {} : { tools: names };
  return {
    store,
    model,
    ...agent,
    ask: (...[text, change, signal]: Parameters<typeof agent.ask>) => agent.ask(text, { ...asked, ...change }, signal),
  };
}

describe('the agent loop', () => {
  it('emits search, read, citation and answer events in the order of the contract', async () => {
    const { store, ask, model } = await open([
      calls(call('a', 'search_file_knowledge', { query: 'capital of France' })),
      says('Paris is the capital of France [1]. It lies on the Seine [1].'),
    ]);
    await addDocument(store, 'Europe', ['Paris is the capital of France. It lies on the Seine.', 'Rome is in Italy.']);
    const events = await ask('What is the capital of France?');
    expect(kindsOf(events)).toEqual([
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
    expect(answer).toMatchObject({
      text: 'Paris is the capital of France [1]. It lies on the Seine [1].',
      ended: 'end',
      unsupported: [],
      removedMarkers: 0,
    });
    expect(textIn(events)).toBe(answer.text);
    expect(answer.citations).toHaveLength(1);
    expect(answer.citations[0]).toMatchObject({ id: 'cit.1', verdict: 'verbatim', score: 1 });
    expect(answer.citations[0]?.quotes[0]).toMatchObject({
      start: 0,
      end: 31,
      text: 'Paris is the capital of France.',
    });
    const [, second] = model.requests;
    expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(second?.messages.at(-1)?.text).toMatch(
      /^The block below quotes documents.*<document-text id="[0-9a-f]{8}">/s,
    );
  });

  it('numbers sources in order of first use, whatever numbers the tools gave them', async () => {
    const { store, ask } = await open([
      calls(call('a', 'content', { document_id: '' })),
      calls(call('b', 'search_file_descriptions', {})),
      says('Two [2]. One [1], two again [2]; nothing [9].'),
    ]);
    await addDocument(store, 'One', ['First words.'], { summary: 'About one.' });
    await addDocument(store, 'Two', ['Second words.'], { summary: 'About two.' });
    const answer = answerIn(await ask('Which?'));
    expect(answer.text).toBe('Two [1]. One [2], two again [1]; nothing.');
    expect(answer.citations.map(({ id, spans }) => [id, spans.length])).toEqual([
      ['cit.1', 2],
      ['cit.2', 1],
    ]);
    expect(answer.removedMarkers).toBe(1);
  });

  it('runs the calls of a turn concurrently and returns results in call order', async () => {
    const gate = Promise.withResolvers<void>();
    const { ask, model } = await open(
      [calls(call('1', 'slow'), call('2', 'quick')), says('Done.')],
      [
        tool('slow', async () => {
          await gate.promise;
          return 'slow result';
        }),
        tool('quick', async () => {
          gate.resolve();
          return 'quick result';
        }),
      ],
    );
    const events = await ask('Go');
    expect(resultsIn(events).map(({ callId }) => callId)).toEqual(['2', '1']);
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['tool_call', 'tool_call']);
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([{ callId: '1' }, { callId: '2' }]);
  });

  it('turns every failure of a call into a result, and continues', async () => {
    const broken: [ToolCall, RegExp][] = [
      [call('1', 'nothing_like_it'), /^Error \[unknown_tool\]: .*Call one of: words, fails\./],
      [call('2', 'words', '{"word": "a'), /^Error \[invalid_argument\]: .*not valid JSON/],
      [call('3', 'words', { word: 7 }), /^Error \[invalid_argument\]: .*word: .*expected a string/],
      [call('4', 'words', [1]), /^Error \[invalid_argument\]/],
      [call('5', 'fails', {}), /^Error \[internal\]: fails failed inside the service\./],
    ];
    const { ask } = await open(
      [calls(...broken.map(([made]) => made)), says('Still here.')],
      [
        tool('words', async ({ word }) => word),
        tool('fails', async () => {
          throw new TypeError('secret detail');
        }),
      ],
    );
    const events = await ask('Go');
    const results = resultsIn(events);
    for (const [made, pattern] of broken) {
      const result = results.find(({ callId }) => callId === made.id);
      expect(result).toMatchObject({ isError: true, content: expect.stringMatching(pattern) });
      expect(result?.content).toMatch(/ Next step: \S/);
      expect(result?.content).not.toContain('secret');
    }
    expect(answerIn(events).text).toBe('Still here.');
  });

  it('ends a call at its deadline and the run goes on', async () => {
    let aborted = false;
    const { ask } = await open(
      [calls(call('1', 'sleeps')), says('Without it.')],
      [
        tool(
          'sleeps',
          async (_, signal) => {
            signal.addEventListener('abort', () => {
              aborted = true;
            });
            await sleep(60_000, undefined, { ref: false });
            return '';
          },
          30,
        ),
      ],
    );
    const events = await ask('Go');
    expect(resultsIn(events)[0]?.content).toBe(
      'Error [timeout]: sleeps took longer than 0.03 s and was ended. Next step: Ask for less at a time.',
    );
    expect(aborted).toBe(true);
    expect(answerIn(events).text).toBe('Without it.');
  });

  it('recognises a repeated call, whatever the order of its arguments', async () => {
    let count = 0;
    const counting = tool('counts', async () => `${++count}`);
    const two = (id: string, given: unknown) => calls(call(id, 'counts', given));
    const { ask } = await open(
      [two('1', { word: 'a', other: 1 }), two('2', { other: 1, word: 'a' }), two('3', { word: 'b' }), says('Done.')],
      [counting],
    );
    const results = resultsIn(await ask('Go'));
    expect(results.map(({ isError }) => isError)).toEqual([false, true, false]);
    expect(results[1]?.content).toContain('This call was already made');
    expect(count).toBe(2);
  });

  it('allows one retry of a failed call', async () => {
    let tries = 0;
    const { ask } = await open(
      [calls(call('1', 'flaky')), calls(call('2', 'flaky')), says('Done.')],
      [
        tool('flaky', async () => {
          if (++tries === 1) throw new Error('at first');
          return 'well';
        }),
      ],
    );
    expect(resultsIn(await ask('Go')).map(({ isError }) => isError)).toEqual([true, false]);
  });

  it('tells the model at the last permitted step to answer, and reports the limit', async () => {
    const { ask, model } = await open(
      [calls(call('1', 'words', { word: 'a' })), says('As far as I got.')],
      [tool('words', async ({ word }) => word)],
    );
    const events = await ask('Go', { limits: { steps: 2 } });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'none']);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('This is the last step');
    expect(answerIn(events)).toMatchObject({ text: 'As far as I got.', ended: 'steps', spent: { steps: 2 } });
  });

  it('ends with a sentence when the model calls tools at the step that had to answer', async () => {
    const { ask } = await open(
      [calls(call('1', 'words', { word: 'a' })), calls(call('2', 'words', { word: 'b' }))],
      [tool('words', async ({ word }) => word)],
    );
    const answer = answerIn(await ask('Go', { limits: { steps: 2 } }));
    expect(answer).toMatchObject({
      ended: 'steps',
      text: expect.stringContaining('The step limit of this request was reached'),
    });
  });

  it('streams thinking only when it was asked for', async () => {
    const turn = thinks('Hm.', 'Yes.');
    const quiet = await open([turn], []);
    expect(kindsOf(await quiet.ask('Go'))).toEqual(['message', 'final_answer']);
    const loud = await open([turn], []);
    const events = await loud.ask('Go', { generation: { extendedThinking: true } });
    expect(events[0]).toEqual({ type: 'thinking', text: 'Hm.' });
  });

  it('truncates tool results to their share of the context, and says so', async () => {
    const { ask, model } = await open(
      [calls(call('1', 'floods')), says('Enough.')],
      [tool('floods', async () => '漢'.repeat(5000))],
    );
    const [result] = resultsIn(await ask('Go', { maxToolContext: 300 }));
    expect(result?.content).toMatch(/^漢{300}\n\(cut here, after 300 of 5000 characters; ask for less/);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain(result?.content);
  });

  it('stops model and tools immediately when it is cancelled', async () => {
    const stopped: string[] = [];
    const cancel = new AbortController();
    const watching = (name: string) =>
      tool(name, async (_, signal) => {
        if (name === 'two') setTimeout(() => cancel.abort(new Error('gone')), 5);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        stopped.push(name);
        return '';
      });
    const { ask } = await open([calls(call('1', 'one'), call('2', 'two'))], [watching('one'), watching('two')]);
    await expect(ask('Go', {}, cancel.signal)).rejects.toThrow('gone');
    await sleep(0);
    expect(stopped).toEqual(['one', 'two']);
  });

  it('cancels the model in the middle of its output', async () => {
    let given: AbortSignal | undefined;
    const cancel = new AbortController();
    const { ask } = await open([
      async function* (request) {
        given = request.signal;
        yield { type: 'text', text: 'Half of' };
        setTimeout(() => cancel.abort(), 5);
        await sleep(60_000, undefined, { signal: request.signal, ref: false });
      },
    ]);
    await expect(ask('Go', {}, cancel.signal)).rejects.toThrow();
    expect(given?.aborted).toBe(true);
  });

  it('never runs more than eight calls at a time', async () => {
    let running = 0;
    let max = 0;
    const busy = tool('busy', async ({ word }) => {
      max = Math.max(max, ++running);
      await sleep(5);
      running--;
      return word;
    });
    const many = Array.from({ length: 30 }, (_, index) => call(`${index}`, 'busy', { word: `${index}` }));
    const { ask } = await open([calls(...many), says('Done.')], [busy]);
    const results: AgentEvent[] = resultsIn(await ask('Go'));
    expect(results).toHaveLength(30);
    expect(max).toBe(8);
  });
});
