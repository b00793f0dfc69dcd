import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelEvent, ToolSpec } from '../../src/models/model.ts';
import { createModelRegistry, type ModelSettings } from '../../src/models/registry.ts';
import { toolBlocks } from '../../src/models/tool-blocks.ts';
import { chatReply, openAiError, startFakeOpenAi } from '../support/fake-openai.ts';
import { ask, textOf } from './support.ts';

const search: ToolSpec = {
  name: 'search',
  description: 'Searches.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const block = (body: string, info = 'tool_calls') => `\`\`\`${info}\n${body}\n\`\`\``;
const one = '[{"name": "search", "arguments": {"query": "tea"}}]';
const refusal = openAiError(400, 'registry.ollama.ai/library/gemma3:4b does not support tools');

async function open(settings: ModelSettings = {}) {
  const server = await startFakeOpenAi();
  onTestFinished(() => server.close());
  const registry = createModelRegistry({ ollama: { baseUrl: server.origin }, ...settings });
  return { server, model: registry.resolve('ollama/gemma3:4b', 'quality'), registry };
}

const callsOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool_call' ? [{ name: event.call.name, arguments: event.call.arguments }] : [],
  );
const stopOf = (events: readonly ModelEvent[]) => events.find((event) => event.type === 'stop');

describe('a model without tool support', () => {
  it('gets tools as text after its server refused them, and from then on at once', async () => {
    const { server, model, registry } = await open();
    server.next(refusal, chatReply({ text: `Let me look.\n\n${block(one)}` }), chatReply({ text: 'No need.' }));
    const events = await ask(model, { tools: [search] });
    expect(callsOf(events)).toEqual([{ name: 'search', arguments: { query: 'tea' } }]);
    expect(textOf(events).trim()).toBe('Let me look.');
    expect(stopOf(events)).toMatchObject({ reason: 'tool_calls', usage: { input: 11, output: 7 } });
    expect(server.requests[0]?.body.tools).toHaveLength(1);
    expect(server.requests[1]?.body.tools).toBeUndefined();
    const [system] = server.requests[1]?.body.messages ?? [];
    expect(system.role).toBe('system');
    for (const part of ['```tool_calls', 'search: Searches.', '"required":["query"]'])
      expect(system.content).toContain(part);
    await ask(registry.resolve('ollama/gemma3:4b', 'fast'), { tools: [search] });
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.body.tools).toBeUndefined();
  });

  it('is never sent native tools when the settings name it', async () => {
    const { server, model } = await open({ textTools: ['ollama/gemma3:4b'] });
    server.next(chatReply({ text: block(one) }));
    expect(callsOf(await ask(model, { tools: [search] }))).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body.tools).toBeUndefined();
  });

  it('reads its own calls and their results as text', async () => {
    const { server, model } = await open({ textTools: ['ollama/gemma3:4b'] });
    server.next(chatReply({ text: 'Leaves.' }));
    await ask(model, {
      tools: [search],
      messages: [
        { role: 'user', text: 'Tea?' },
        { role: 'assistant', text: 'Looking.', toolCalls: [{ id: '1', name: 'search', arguments: { query: 'tea' } }] },
        { role: 'tool', callId: '1', name: 'search', text: 'Tea is leaves.', isError: false },
      ],
    });
    expect(server.requests[0]?.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'Tea?' },
      {
        role: 'assistant',
        content: `Looking.\n\n\`\`\`tool_calls\n[{"name":"search","arguments":{"query":"tea"}}]\n\`\`\``,
      },
      { role: 'user', content: 'Result of search:\nTea is leaves.' },
    ]);
  });

  it('gets no tool text when none may be called, and its tool blocks are hidden', async () => {
    const { server, model } = await open({ textTools: ['ollama/gemma3:4b'] });
    server.next(chatReply({ text: `So: leaves.\n${block(one)}` }));
    const events = await ask(model, { tools: [search], toolChoice: 'none' });
    expect(server.requests[0]?.body.messages).toHaveLength(1);
    expect(textOf(events).trim()).toBe('So: leaves.');
  });

  it('reports other errors unchanged', async () => {
    const { server, model } = await open();
    server.next(openAiError(400, 'messages: too many', { code: 'invalid_messages' }));
    await expect(ask(model, { tools: [search] })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, string, unknown]>([
    ['a single object', block('{"name": "search", "arguments": {"query": "tea"}}', 'tool_call'), { query: 'tea' }],
    ['other names of the members', block('[{"tool": "search", "parameters": {"query": "tea"}}]'), { query: 'tea' }],
    ['JSON that is not marked as calls', block(one, 'json'), { query: 'tea' }],
    [
      'the tags of its training',
      '<tool_call>\n{"name": "search", "arguments": {"query": "tea"}}\n</tool_call>',
      { query: 'tea' },
    ],
    [
      'the form of the API',
      block('{"tool_calls": [{"function": {"name": "search", "arguments": "{\\"query\\": 1}"}}]}'),
      '{"query": 1}',
    ],
    ['a block without an end', `\`\`\`tool_calls\n${one}`, { query: 'tea' }],
    ['a result it makes up', `${block(one)}\nResult of search:\nTea is gold.`, { query: 'tea' }],
    [
      'JSON that is broken',
      block('[{"name": "search", "arguments": {"query": "te'),
      '[{"name": "search", "arguments": {"query": "te',
    ],
  ])('is understood when it writes %s', async (_, text, given) => {
    const { server, model } = await open({ textTools: ['ollama/gemma3:4b'] });
    server.next(chatReply({ text: `First.\n${text}` }));
    const events = await ask(model, { tools: [search] });
    expect(callsOf(events)).toEqual([{ name: 'search', arguments: given }]);
    expect(textOf(events).trim()).toBe('First.');
  });

  it.each([
    ['code', `Like this:\n${block('print(1)', 'python')}\nDone.`],
    ['JSON', `Like this:\n${block('{"name": "Ada", "born": 1815}', 'json')}\nDone.`],
    ['a fence in a line', 'The word ```tool_calls``` opens a block.'],
    ['a smaller sign', 'a <b and <tool_box> and `x`'],
  ])('may write %s', async (_, text) => {
    const { server, model } = await open({ textTools: ['ollama/gemma3:4b'] });
    server.next(chatReply({ text }));
    const events = await ask(model, { tools: [search] });
    expect(callsOf(events)).toEqual([]);
    expect(textOf(events)).toBe(text);
    expect(stopOf(events)).toMatchObject({ reason: 'end' });
  });
});

describe('blocks of calls', () => {
  it('are removed from the text however it is split, without delaying other text', () => {
    const text = `One \`two\`.\n${block(one)}`;
    for (let size = 1; size <= text.length; size++) {
      const blocks = toolBlocks(() => true);
      let passed = '';
      for (let at = 0; at < text.length; at += size) passed += blocks.push(text.slice(at, at + size));
      passed += blocks.end();
      expect(passed).toBe('One `two`.\n');
      expect(blocks.bodies.map((body) => body.trim())).toEqual([one]);
    }
    const blocks = toolBlocks(() => true);
    expect(blocks.push('Word')).toBe('Word');
    expect(blocks.push(' more\n`')).toBe(' more\n');
    expect(blocks.push('code`')).toBe('`code`');
  });
});
