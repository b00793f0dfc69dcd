import {
  type FakeProvider,
  jsonReply,
  type ReceivedRequest,
  type Reply,
  startFakeProvider,
  streamReply,
} from './fake-provider.ts';

/** One reply of the fake model. */
export interface OpenAiTurn {
  readonly text?: string;
  readonly thinking?: string;
  readonly refusal?: string;
  /** `arguments` is raw text, so that invalid JSON can be sent. */
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finishReason?: string;
  /** Null simulates a server that does not report usage. */
  readonly usage?: {
    readonly input: number;
    readonly cached?: number;
    readonly output: number;
    readonly reasoning?: number;
  } | null;
  readonly model?: string;
}

/**
 * A server with OpenAI's wire formats under `<origin>/v1`: Chat Completions, Responses, Embeddings. Unscripted
 * embedding requests are answered with vectors computed from the text; everything else needs a script.
 */
export async function startFakeOpenAi(): Promise<FakeProvider & { readonly baseUrl: string }> {
  const provider = await startFakeProvider((request) =>
    request.path.endsWith('/embeddings') ? embeddingsFor(request) : openAiError(500, 'no reply is scripted'),
  );
  return Object.assign(provider, { baseUrl: `${provider.origin}/v1` });
}

const defaultUsage: NonNullable<OpenAiTurn['usage']> = { input: 11, output: 7 };

/** A streamed Chat Completions reply, one chunk per word. */
export function chatReply(turn: OpenAiTurn): Reply {
  const chunk = (choices: readonly unknown[], more: object = {}) => ({
    data: {
      id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
      object: 'chat.completion.chunk',
      created: 1741569952,
      model: turn.model ?? 'gpt-4.1-2025-04-14',
      service_tier: 'default',
      system_fingerprint: 'fp_a',
      choices,
      ...more,
    },
  });
  const delta = (content: object, finish: string | null = null) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: finish }], { usage: null });
  const usage = turn.usage === undefined ? defaultUsage : turn.usage;
  return streamReply([
    delta({ role: 'assistant', content: '', refusal: null }),
    ...words(turn.thinking).map((text) => delta({ reasoning_content: text })),
    ...words(turn.text).map((text) => delta({ content: text })),
    ...words(turn.refusal).map((text) => delta({ refusal: text })),
    ...(turn.toolCalls ?? []).flatMap((call, index) => [
      delta({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
      ...halves(call.arguments).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, turn.finishReason ?? (turn.toolCalls === undefined ? 'stop' : 'tool_calls')),
    ...(usage === null
      ? []
      : [
          chunk([], {
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              prompt_tokens_details: { cached_tokens: usage.cached ?? 0, audio_tokens: 0 },
              completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0, audio_tokens: 0 },
            },
          }),
        ]),
    { data: '[DONE]' },
  ]);
}

/** A streamed Responses reply. Thinking is a reasoning item with a summary and encrypted content. */
export function responsesReply(turn: OpenAiTurn & { readonly incomplete?: string; readonly failed?: string }): Reply {
  let sequence = 0;
  const event = (type: string, more: object) => ({
    event: type,
    data: { type, sequence_number: sequence++, ...more },
  });
  const usage = turn.usage ?? defaultUsage;
  const response = {
    id: 'resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654',
    object: 'response',
    created_at: 1741290958,
    status: 'in_progress',
    model: turn.model ?? 'gpt-6.1-sol',
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
  };
  const events: ReturnType<typeof event>[] = [
    event('response.created', { response }),
    event('response.in_progress', { response }),
  ];
  let place = 0;
  if (turn.thinking !== undefined) {
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    events.push(
      event('response.output_item.added', { output_index: place, item }),
      event('response.reasoning_summary_part.added', {
        item_id: 'rs_1',
        output_index: place,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      }),
      ...words(turn.thinking).map((delta) =>
        event('response.reasoning_summary_text.delta', {
          item_id: 'rs_1',
          output_index: place,
          summary_index: 0,
          delta,
        }),
      ),
      event('response.output_item.done', {
        output_index: place,
        item: {
          ...item,
          summary: [{ type: 'summary_text', text: turn.thinking }],
          encrypted_content: 'gAAAA-encrypted',
        },
      }),
    );
    place++;
  }
  const said = turn.text ?? turn.refusal;
  if (said !== undefined) {
    const kind = turn.text === undefined ? 'response.refusal.delta' : 'response.output_text.delta';
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    events.push(
      event('response.output_item.added', { output_index: place, item }),
      ...words(said).map((delta) => event(kind, { item_id: 'msg_1', output_index: place, content_index: 0, delta })),
      event('response.output_item.done', { output_index: place, item: { ...item, status: 'completed' } }),
    );
    place++;
  }
  for (const call of turn.toolCalls ?? []) {
    const item = { id: `fc_${call.id}`, type: 'function_call', call_id: call.id, name: call.name };
    events.push(
      event('response.output_item.added', { output_index: place, item: { ...item, arguments: '' } }),
      ...halves(call.arguments).map((delta) =>
        event('response.function_call_arguments.delta', { item_id: item.id, output_index: place, delta }),
      ),
      event('response.output_item.done', {
        output_index: place,
        item: { ...item, arguments: call.arguments, status: 'completed' },
      }),
    );
    place++;
  }
  const end = {
    ...response,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
      total_tokens: usage.input + usage.output,
    },
  };
  if (turn.failed !== undefined) {
    const error = { code: turn.failed, message: 'The model had a problem.' };
    events.push(event('response.failed', { response: { ...end, status: 'failed', error } }));
  } else if (turn.incomplete !== undefined) {
    const incomplete = { ...end, status: 'incomplete', incomplete_details: { reason: turn.incomplete } };
    events.push(event('response.incomplete', { response: incomplete }));
  } else {
    events.push(event('response.completed', { response: { ...end, status: 'completed' } }));
  }
  return streamReply(events);
}

/** An error body in OpenAI's format. */
export function openAiError(
  status: number,
  message: string,
  options: {
    readonly code?: string;
    readonly param?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Reply {
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return jsonReply(
    { error: { message, type, param: options.param ?? null, code: options.code ?? null } },
    { status, ...(options.headers === undefined ? {} : { headers: options.headers }) },
  );
}

export const rateLimited = (retryAfter: string): Reply =>
  openAiError(429, 'Rate limit reached for requests', {
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': retryAfter },
  });

/** Token usage that each embeddings reply reports. */
export const TOKENS_OF_FAKE_EMBEDDINGS = 8;

/** An embeddings reply; `shuffle` returns the vectors out of order, which the format allows. */
export function embeddingsReply(vectors: readonly (readonly number[])[], options: { shuffle?: boolean } = {}): Reply {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  if (options.shuffle) data.reverse();
  return jsonReply({
    object: 'list',
    data,
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: TOKENS_OF_FAKE_EMBEDDINGS, total_tokens: TOKENS_OF_FAKE_EMBEDDINGS },
  });
}

const FAKE_DIMENSIONS = 16;

export function embeddingsFor({ body }: ReceivedRequest): Reply {
  const texts: readonly string[] = typeof body.input === 'string' ? [body.input] : body.input;
  return embeddingsReply(texts.map((text) => fakeVector(text, body.dimensions ?? FAKE_DIMENSIONS)));
}

/** Counts characters by code point, so that texts with the same letters are similar. Deliberately not normalised. */
export function fakeVector(text: string, dimensions = FAKE_DIMENSIONS): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const character of text.toLowerCase()) {
    const place = (character.codePointAt(0) ?? 0) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

function words(text: string | undefined): string[] {
  return text === undefined ? [] : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]);
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}
