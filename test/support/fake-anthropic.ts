import { type FakeProvider, jsonReply, type Reply, startFakeProvider, streamReply } from './fake-provider.ts';

/** One reply of the fake model. */
export interface AnthropicTurn {
  readonly text?: string;
  readonly thinking?: { readonly text: string; readonly signature: string };
  /** Data of a redacted thinking block, which follows the readable one. */
  readonly redacted?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly stopReason?: string;
  readonly usage?: {
    readonly input: number;
    readonly cacheWritten?: number;
    readonly cacheRead?: number;
    readonly output: number;
    readonly thinking?: number;
  };
}

/** A server with Anthropic's Messages API at `<origin>/v1/messages`. */
export async function startFakeAnthropic(): Promise<FakeProvider & { readonly baseUrl: string }> {
  const provider = await startFakeProvider(() => anthropicError(500, 'api_error', 'no reply is scripted'));
  return Object.assign(provider, { baseUrl: provider.origin });
}

/** A streamed Messages reply, one delta per word, with the service's ping events. */
export function messageReply(turn: AnthropicTurn): Reply {
  const usage = turn.usage ?? { input: 25, output: 15 };
  const event = (type: string, more: object = {}) => ({ event: type, data: { type, ...more } });
  const blocks: { readonly start: object; readonly deltas: readonly object[] }[] = [];
  if (turn.thinking !== undefined) {
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...words(turn.thinking.text).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: turn.thinking.signature },
      ],
    });
  }
  if (turn.redacted !== undefined)
    blocks.push({ start: { type: 'redacted_thinking', data: turn.redacted }, deltas: [] });
  if (turn.text !== undefined) {
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: words(turn.text).map((text) => ({ type: 'text_delta', text })),
    });
  }
  for (const call of turn.toolCalls ?? []) {
    blocks.push({
      start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
      deltas: ['', ...halves(call.arguments)].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    });
  }
  return streamReply([
    event('message_start', {
      message: {
        id: 'msg_01FqfsLoHwgeFbguDgpz48m7',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input,
          cache_creation_input_tokens: usage.cacheWritten ?? 0,
          cache_read_input_tokens: usage.cacheRead ?? 0,
          output_tokens: 1,
        },
      },
    }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...(index === 0 ? [event('ping')] : []),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: {
        stop_reason: turn.stopReason ?? (turn.toolCalls === undefined ? 'end_turn' : 'tool_use'),
        stop_sequence: null,
      },
      usage: {
        output_tokens: usage.output,
        ...(usage.thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.thinking } }),
      },
    }),
    event('message_stop'),
  ]);
}

/** An error body in Anthropic's format. */
export function anthropicError(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return jsonReply(
    { type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' },
    { status, headers },
  );
}

/** A stream that starts normally and then reports an error, as an overloaded service does. */
export function failingMidway(type: string): Reply {
  const reply = messageReply({ text: 'Half an answer' });
  const failure = { type: 'error', error: { type, message: 'Overloaded' } };
  return {
    ...reply,
    steps: [...reply.steps.slice(0, 4), { send: `event: error\ndata: ${JSON.stringify(failure)}\n\n` }],
  };
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}
