import type { AnthropicProvider } from '../../src/models/anthropic/anthropic-model.ts';
import type { Model, ModelEvent, ModelRequest } from '../../src/models/model.ts';
import type { OpenAiProvider } from '../../src/models/openai/openai-provider.ts';

/** A request that says hello, with the given changes. */
export function modelRequest(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', text: 'Hello' }],
    tools: [],
    config: {},
    signal: new AbortController().signal,
    ...change,
  };
}

export async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export const textOf = (events: readonly ModelEvent[], type: 'text' | 'thinking' = 'text'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

export async function* iterate<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

export const ask = (model: Model, change: Partial<ModelRequest> = {}): Promise<ModelEvent[]> =>
  collect(model.stream(modelRequest(change)));

export function openAiProvider(baseUrl: string, change: Partial<OpenAiProvider> = {}): OpenAiProvider {
  return {
    name: 'openai',
    label: 'OpenAI',
    address: baseUrl,
    keyVariable: 'OPENAI_API_KEY',
    addressVariable: 'OPENAI_BASE_URL',
    hasKey: true,
    baseUrl,
    apiKey: 'sk-test-secret',
    isOpenAi: false,
    ...change,
  };
}

export function anthropicProvider(baseUrl: string): AnthropicProvider {
  return {
    name: 'anthropic',
    label: 'Anthropic',
    address: baseUrl,
    keyVariable: 'ANTHROPIC_API_KEY',
    addressVariable: 'ANTHROPIC_BASE_URL',
    hasKey: true,
    baseUrl,
    apiKey: 'sk-ant-secret',
  };
}

/** A model that plays its turns: each is a list of events, after which it may throw. */
export function playedModel(
  name: string,
  turns: readonly { readonly events?: readonly ModelEvent[]; readonly error?: unknown }[],
): Model & { readonly calls: number } {
  let calls = 0;
  return {
    name,
    get calls() {
      return calls;
    },
    async *stream() {
      const turn = turns[calls++];
      if (turn === undefined) throw new Error(`${name} was called more often than its script says.`);
      yield* turn.events ?? [];
      if (turn.error !== undefined) throw turn.error;
    },
  };
}

export const said = (text: string, model: string): ModelEvent[] => [
  { type: 'text', text },
  { type: 'stop', reason: 'end', usage: { input: 1, cachedInput: 0, output: 1, reasoning: 0 }, model },
];
