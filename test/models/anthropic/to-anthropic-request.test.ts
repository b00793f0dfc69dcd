import { describe, expect, it } from 'vitest';
import { anthropicTraits } from '../../../src/models/anthropic/model-traits.ts';
import { toAnthropicRequest } from '../../../src/models/anthropic/to-anthropic-request.ts';
import type { Message } from '../../../src/models/message.ts';
import type { ModelRequest } from '../../../src/models/model.ts';
import { modelRequest } from '../support.ts';

const convert = (change: Partial<ModelRequest> = {}, name = 'claude-sonnet-4-5') =>
  toAnthropicRequest(name, modelRequest(change));
const messagesOf = (messages: readonly Message[]) => convert({ messages }).messages;
const lookTool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } };
const toolTurns: Message[] = [
  { role: 'user', text: 'Look' },
  { role: 'assistant', text: '', toolCalls: [{ id: 't1', name: 'look', arguments: {} }] },
  { role: 'tool', callId: 't1', name: 'look', text: 'seen', isError: false },
];

describe('a request to Anthropic', () => {
  it('places images before the question about them', () => {
    const image = { mediaType: 'image/png', data: 'AAAA' } as const;
    expect(messagesOf([{ role: 'user', text: 'What is this?', images: [image] }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'text', text: 'What is this?' },
        ],
      },
    ]);
  });

  it('replaces halves of characters, which make its JSON invalid', () => {
    const half = '😀'.charAt(0);
    const texts: Message[] = [
      { role: 'user', text: `Look ${half}` },
      { role: 'assistant', text: '', toolCalls: [{ id: 't1', name: 'look', arguments: {} }] },
      { role: 'tool', callId: 't1', name: 'look', text: `seen${half}`, isError: false },
    ];
    const written = JSON.stringify(convert({ messages: [{ role: 'system', text: `Be brief.${half}` }, ...texts] }));
    expect(written).not.toMatch(/\\ud83d/i);
    expect(written).toContain('seen\uFFFD');
  });

  it('moves all instructions to the front and marks them for the cache', () => {
    const request = convert({
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'Hi' },
        { role: 'system', text: 'Be kind.' },
      ],
    });
    expect(request.system).toEqual([
      { type: 'text', text: 'Be brief.\n\nBe kind.', cache_control: { type: 'ephemeral' } },
    ]);
    expect(request.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
  });

  it('alternates roles, starting and ending with the user', () => {
    expect(
      messagesOf([
        { role: 'assistant', text: 'Welcome' },
        { role: 'user', text: 'a' },
        { role: 'user', text: 'b' },
        { role: 'assistant', text: '' },
        { role: 'assistant', text: 'c ' },
      ]).map(({ role, content }) => [role, (content as { text: string }[])[0]?.text]),
    ).toEqual([
      ['user', '(The conversation so far.)'],
      ['assistant', 'Welcome'],
      ['user', 'a\n\nb'],
      ['assistant', 'c'],
      ['user', 'Continue.'],
    ]);
  });

  it('sends results of parallel calls in one message and marks the last for the cache', () => {
    const messages = messagesOf([
      { role: 'user', text: 'Look twice' },
      {
        role: 'assistant',
        text: 'Yes.',
        toolCalls: [
          { id: 't1', name: 'look', arguments: { at: 'a' } },
          { id: 't2', name: 'look', arguments: '{"at":' },
        ],
      },
      { role: 'tool', callId: 't1', name: 'look', text: '', isError: false },
      { role: 'tool', callId: 't2', name: 'look', text: 'Bad arguments', isError: true },
    ]);
    expect(messages[1]?.content).toEqual([
      { type: 'text', text: 'Yes.' },
      { type: 'tool_use', id: 't1', name: 'look', input: { at: 'a' } },
      { type: 'tool_use', id: 't2', name: 'look', input: { invalid_json: '{"at":' } },
    ]);
    expect(messages[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: '(no output)' },
        {
          type: 'tool_result',
          tool_use_id: 't2',
          content: 'Bad arguments',
          is_error: true,
          cache_control: { type: 'ephemeral' },
        },
      ],
    });
  });

  it('declares the tools used in a transcript even when none may be called', () => {
    expect(convert({ messages: toolTurns })).toMatchObject({
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
    expect(convert({ messages: toolTurns, tools: [lookTool] })).not.toHaveProperty('tool_choice');
    expect(convert({ messages: toolTurns, tools: [lookTool], toolChoice: 'none' })).toMatchObject({
      tools: [{ name: 'look', description: 'Looks.' }],
      tool_choice: { type: 'none' },
    });
  });

  it('disables thinking in the middle of calls that were made without it', () => {
    const config = { extendedThinking: true, thinkingBudget: 1024, maxTokens: 2048 };
    expect(convert({ messages: toolTurns, config })).not.toHaveProperty('thinking');
    expect(convert({ config })).toHaveProperty('thinking');
  });

  it('omits the thinking of other providers', () => {
    const [, turn] = messagesOf([
      { role: 'user', text: 'a' },
      { role: 'assistant', text: 'b', thinking: [{ text: 'hm', provider: 'openai', id: 'rs', signature: 'gA' }] },
    ]);
    expect(turn?.content).toEqual([{ type: 'text', text: 'b' }]);
  });

  it.each([
    ['claude-sonnet-4-5-20250929', { temperature: 0.1, topP: 0.9 }, { temperature: 0.1 }],
    ['claude-sonnet-4-5', { topP: 0.9 }, { top_p: 0.9 }],
    ['claude-sonnet-4-5', { topP: 1 }, {}],
    ['claude-sonnet-4-5', { temperature: 1.5 }, { temperature: 1 }],
    ['claude-opus-4-7', { temperature: 0.1, topP: 0.9 }, {}],
    ['claude-sonnet-5-5', { temperature: 0.1 }, {}],
    ['claude-sonnet-4-5', { temperature: 0.1, extendedThinking: true, thinkingBudget: 1024, maxTokens: 2000 }, {}],
  ])('sends %s of %j only what the model supports', (name, config, expected) => {
    const { temperature, top_p } = convert({ config }, name);
    expect({ ...(temperature !== undefined && { temperature }), ...(top_p !== undefined && { top_p }) }).toEqual(
      expected,
    );
  });

  it('sets thinking of newer models by effort, with visible summaries', () => {
    const config = { extendedThinking: true, thinkingBudget: 20_000, maxTokens: 30_000 };
    expect(convert({ config }, 'claude-opus-5-5')).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
      max_tokens: 30_000,
    });
  });

  it('raises the output limit for models that think by default', () => {
    expect(convert({ config: { maxTokens: 1024 } }, 'claude-sonnet-5-5')).toMatchObject({
      max_tokens: 1024 + 4096,
      output_config: { effort: 'low' },
    });
    expect(convert({ config: { maxTokens: 1024 } }).max_tokens).toBe(1024);
  });

  it.each([
    [{ extendedThinking: true, maxTokens: 4000 }, 'need thinking_budget'],
    [{ extendedThinking: true, thinkingBudget: 5000, maxTokens: 4000 }, 'must be less than max_tokens'],
    [{ extendedThinking: true, thinkingBudget: 500, maxTokens: 4000 }, 'below 1024'],
  ])('refuses %j', (config, words) => {
    expect(() => convert({ config })).toThrow(words);
  });

  it('raises the output limit for a thinking budget', () => {
    expect(convert({ config: { extendedThinking: true, thinkingBudget: 8000 } }).max_tokens).toBe(8000 + 4096);
  });

  it('accepts a JSON schema in OpenAI’s format', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const responseFormat = { type: 'json_schema', json_schema: { name: 'x', schema } };
    expect(convert({ config: { responseFormat } }).output_config).toEqual({ format: { type: 'json_schema', schema } });
  });

  it.each([
    ['claude-3-7-sonnet-latest', 'budget', true, false],
    ['claude-sonnet-4-20250514', 'budget', true, false],
    ['claude-haiku-4-5-20251001', 'budget', true, false],
    ['claude-opus-4-6', 'adaptive', true, false],
    ['claude-opus-4-8', 'adaptive', false, false],
    ['claude-sonnet-5', 'adaptive', false, true],
    ['claude-fable-5-2', 'adaptive', false, true],
    ['claude-mythos-preview', 'adaptive', false, true],
    ['kimi-k3', 'budget', true, false],
  ])('knows what %s supports', (name, thinking, takesSampling, thinksByDefault) => {
    expect(anthropicTraits(name)).toEqual({ thinking, takesSampling, thinksByDefault });
  });
});
