import fc from 'fast-check';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { fromOpenAiEvents } from '../../../src/models/openai/from-openai-events.ts';
import { splitThinkTags } from '../../../src/models/openai/split-think-tags.ts';
import { collect, iterate, textOf } from '../support.ts';

/** Chunks as compatible servers send them, which may deviate from the types. */
const read = (...chunks: readonly unknown[]) =>
  collect(fromOpenAiEvents(iterate(chunks as ChatCompletionChunk[]), 'some/model'));
const delta = (content: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: content, finish_reason }],
});
const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) =>
  delta({ tool_calls: [{ index, id, function: { name, arguments: args } }] });
const callsOf = (events: Awaited<ReturnType<typeof read>>) =>
  events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []));

describe('a Chat Completions stream', () => {
  it('separates calls that all have the index 0', async () => {
    const events = await read(call(0, 'a', 'look', '{"x":1}'), call(0, 'b', 'look', '{"x":2}'), delta({}, 'stop'));
    expect(callsOf(events)).toEqual([
      { id: 'a', name: 'look', arguments: { x: 1 } },
      { id: 'b', name: 'look', arguments: { x: 2 } },
    ]);
    expect(events.at(-1)).toMatchObject({ reason: 'tool_calls' });
  });

  it('accepts repeated names, arguments as an object, and a missing index or id', async () => {
    const repeated = await read(call(0, 'a', 'look', '{"x"'), call(0, 'a', 'look', ':1}'), delta({}, 'tool_calls'));
    expect(callsOf(repeated)).toEqual([{ id: 'a', name: 'look', arguments: { x: 1 } }]);
    const bare = await read(call(undefined, undefined, 'look', { x: 1 }), delta({}, 'tool_calls'));
    expect(callsOf(bare)).toEqual([{ id: expect.stringMatching(/^call_/), name: 'look', arguments: { x: 1 } }]);
  });

  it('keeps arguments that are not JSON as text, and treats empty ones as an empty object', async () => {
    const events = await read(call(0, 'a', 'look', '{"x":'), call(1, 'b', 'wait', ''), delta({}, 'tool_calls'));
    expect(callsOf(events).map((each) => each.arguments)).toEqual(['{"x":', {}]);
  });

  it.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['eos', 'end'],
  ])('reads the finish reason %s as %s', async (finish, reason) => {
    expect((await read(delta({ content: 'x' }, finish))).at(-1)).toMatchObject({ reason });
  });

  it('reads a refusal as text and as the reason', async () => {
    const events = await read(delta({ refusal: 'I cannot.' }), delta({}, 'stop'));
    expect(textOf(events)).toBe('I cannot.');
    expect(events.at(-1)).toMatchObject({ reason: 'refusal' });
  });

  it('reads thinking under either of its names', async () => {
    const events = await read(
      delta({ reasoning_content: 'a' }),
      delta({ reasoning: 'b' }),
      delta({ content: 'c' }, 'stop'),
    );
    expect(textOf(events, 'thinking')).toBe('ab');
  });

  it('uses the last usage report and skips chunks without choices', async () => {
    const events = await read(
      { ...delta({ content: 'x' }), usage: { prompt_tokens: 3, completion_tokens: 1 } },
      delta({}, 'stop'),
      { usage: { prompt_tokens: 3, completion_tokens: 9 } },
    );
    expect(events.at(-1)).toMatchObject({ usage: { input: 3, output: 9, cachedInput: 0, reasoning: 0 } });
  });

  it('reports a truncated stream', async () => {
    await expect(read(delta({ content: 'Half' }))).rejects.toThrow();
  });
});

describe('think tags', () => {
  const split = (pieces: readonly string[]) => {
    const tags = splitThinkTags();
    const events = [...pieces.flatMap((piece) => [...tags.push(piece)]), ...tags.end()];
    return { thinking: textOf(events, 'thinking'), text: textOf(events) };
  };

  it.each([
    ['<think>Hm.</think>\n\nHello', 'Hm.', 'Hello'],
    ['\n<think>\nHm.</think>Hello', '\nHm.', 'Hello'],
    ['Hello <think>not thinking</think>', '', 'Hello <think>not thinking</think>'],
    ['<think>never closed', 'never closed', ''],
    ['<thin air', '', '<thin air'],
    ['<think></think>Hi', '', 'Hi'],
    ['a < b', '', 'a < b'],
    ['', '', ''],
  ])('are separated from text in %j, however it is split', (whole, thinking, text) => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
        expect(split(pieces)).toEqual({ thinking, text });
      }),
    );
  });
});
