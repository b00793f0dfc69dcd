import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/models/model.ts';
import { isReasoningModel } from '../../../src/models/openai/model-traits.ts';
import { toOpenAiRequest } from '../../../src/models/openai/to-openai-request.ts';
import { toResponsesRequest } from '../../../src/models/openai/to-responses-request.ts';
import { modelRequest } from '../support.ts';

const chat = (change: Partial<ModelRequest>) => toOpenAiRequest('llama', modelRequest(change));
const responses = (change: Partial<ModelRequest>, name = 'gpt-6.1-sol') =>
  toResponsesRequest(name, modelRequest(change));
const schema = { type: 'object', properties: {} };
const responseFormat = { type: 'json_schema', json_schema: { name: 'x', schema } };

describe('pictures', () => {
  const images = [{ mediaType: 'image/jpeg', data: 'AAAA' }] as const;
  const messages = [
    { role: 'user' as const, text: 'Look.' },
    { role: 'user' as const, text: 'What is this?', images },
  ];
  const url = 'data:image/jpeg;base64,AAAA';

  it('are sent with the question over Chat Completions and over Responses', () => {
    const text = 'Look.\n\nWhat is this?';
    expect(chat({ messages }).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ]);
    expect(responses({ messages }).input).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text },
          { type: 'input_image', image_url: url, detail: 'auto' },
        ],
      },
    ]);
  });

  it('may be sent without text', () => {
    expect(chat({ messages: [{ role: 'user', text: '', images }] }).messages).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
    ]);
  });
});

describe('a request over Chat Completions', () => {
  it('puts instructions first and keeps tool calls with their results', () => {
    const { messages } = chat({
      messages: [
        { role: 'user', text: 'a' },
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'b' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: 'not json' }] },
        { role: 'tool', callId: 'c1', name: 'look', text: 'Bad', isError: true },
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a\n\nb' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"invalid_json":"not json"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Bad' },
    ]);
  });

  it('sends only the settings that are set', () => {
    expect(
      chat({ config: { temperature: 0.1, topP: 0.9, maxTokens: 100, reasoningEffort: 'low', responseFormat } }),
    ).toMatchObject({
      temperature: 0.1,
      top_p: 0.9,
      max_tokens: 100,
      reasoning_effort: 'low',
      response_format: responseFormat,
    });
  });

  it('declares tools that may not be called', () => {
    const tools = [{ name: 'look', description: 'Looks.', inputSchema: schema }];
    expect(chat({ tools, toolChoice: 'none' })).toMatchObject({ tool_choice: 'none', tools: [{ type: 'function' }] });
    expect(responses({ tools, toolChoice: 'none' })).toMatchObject({ tool_choice: 'none', tools: [{ name: 'look' }] });
    expect(chat({ tools })).not.toHaveProperty('tool_choice');
    expect(chat({ toolChoice: 'none' })).not.toHaveProperty('tool_choice');
  });

  it('refuses a transcript without content', () => {
    expect(() => chat({ messages: [{ role: 'user', text: ' ' }] })).toThrow('nothing to answer');
  });

  it('sends the instructions as user message when there is no other', () => {
    expect(chat({ messages: [{ role: 'system', text: 'Say hi.' }] }).messages).toEqual([
      { role: 'user', content: 'Say hi.' },
    ]);
  });
});

describe('a request over Responses', () => {
  it('sets a low reasoning effort by default, and leaves room for the answer', () => {
    expect(responses({ config: { temperature: 0.1, topP: 1, maxTokens: 1024 } })).toEqual({
      model: 'gpt-6.1-sol',
      input: [{ role: 'user', content: 'Hello' }],
      stream: true,
      store: false,
      max_output_tokens: 1024 + 4096,
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
    });
  });

  it('sends other models their sampling settings', () => {
    expect(responses({ config: { temperature: 0.1, maxTokens: 1024 } }, 'gpt-4.1')).toEqual({
      model: 'gpt-4.1',
      input: [{ role: 'user', content: 'Hello' }],
      stream: true,
      store: false,
      max_output_tokens: 1024,
      temperature: 0.1,
    });
  });

  it.each([
    [{ reasoningEffort: 'high' as const }, 'high'],
    [{ extendedThinking: true }, 'medium'],
    [{ extendedThinking: true, thinkingBudget: 2000 }, 'low'],
    [{ extendedThinking: true, thinkingBudget: 32_000 }, 'high'],
  ])('turns %j into the effort %s', (config, effort) => {
    expect(responses({ config }).reasoning).toMatchObject({ effort });
  });

  it('flattens a JSON schema and sends instructions apart', () => {
    const request = responses({
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'Hi' },
      ],
      config: { responseFormat },
    });
    expect(request.instructions).toBe('Be brief.');
    expect(request.text).toEqual({ format: { type: 'json_schema', name: 'x', schema } });
  });

  it.each([
    ['gpt-6.1-sol', true],
    ['gpt-5-mini', true],
    ['o4-mini', true],
    ['codex-mini-latest', true],
    ['gpt-5-chat-latest', false],
    ['gpt-4.1', false],
    ['gpt-4o-mini', false],
    ['chatgpt-4o-latest', false],
    ['ft:gpt-4.1:acme', false],
  ])('knows whether %s is a reasoning model', (name, reasons) => {
    expect(isReasoningModel(name)).toBe(reasons);
  });
});
