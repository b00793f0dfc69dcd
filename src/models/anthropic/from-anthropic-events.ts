import type { RawMessageStreamEvent, StopReason as TheirStopReason } from '@anthropic-ai/sdk/resources/messages';
import { readArguments } from '../arrange-messages.ts';
import type { ModelEvent, StopReason, Usage } from '../model.ts';
import { StreamTruncated } from '../provider-error.ts';
import { snapshotName } from '../snapshot-name.ts';
import { ANTHROPIC_PROVIDER } from './to-anthropic-request.ts';

/** Converts a Messages stream. `model` is the provider-qualified name. Throws StreamTruncated if it ends early. */
export async function* fromAnthropicEvents(
  events: AsyncIterable<RawMessageStreamEvent>,
  model: string,
): AsyncGenerator<ModelEvent, void> {
  let block: OpenBlock | undefined;
  let counts: Counts = {};
  let reason: TheirStopReason | null = null;
  let snapshot: string | undefined;
  let isEmpty = true;

  for await (const event of events) {
    isEmpty = false;
    switch (event.type) {
      case 'message_start':
        counts = { ...event.message.usage };
        snapshot = snapshotName(model, event.message.model);
        break;
      case 'content_block_start':
        block = openBlock(event.content_block);
        if (block?.type === 'text' && block.text !== '') yield { type: 'text', text: block.text };
        break;
      case 'content_block_delta':
        switch (event.delta.type) {
          case 'text_delta':
            yield { type: 'text', text: event.delta.text };
            break;
          case 'thinking_delta':
            if (block?.type === 'thinking') block.text += event.delta.thinking;
            if (event.delta.thinking !== '') yield { type: 'thinking', text: event.delta.thinking };
            break;
          case 'signature_delta':
            if (block?.type === 'thinking') block.signature = event.delta.signature;
            break;
          case 'input_json_delta':
            if (block?.type === 'tool_use') block.json += event.delta.partial_json;
            break;
          case 'citations_delta':
            break;
        }
        break;
      case 'content_block_stop':
        if (block !== undefined) yield* closeBlock(block);
        block = undefined;
        break;
      case 'message_delta':
        reason = event.delta.stop_reason ?? reason;
        counts = { ...counts, ...withoutNulls(event.usage ?? {}) };
        break;
      case 'message_stop':
        yield {
          type: 'stop',
          reason: readReason(reason),
          usage: readUsage(counts),
          model,
          ...(snapshot !== undefined && { snapshot }),
        };
        return;
    }
  }
  throw new StreamTruncated({ isEmpty });
}

type OpenBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown; json: string };

type BlockStart = Extract<RawMessageStreamEvent, { type: 'content_block_start' }>['content_block'];

function openBlock(start: BlockStart): OpenBlock | undefined {
  switch (start.type) {
    case 'text':
      return { type: 'text', text: start.text };
    case 'thinking':
      return { type: 'thinking', text: start.thinking, signature: start.signature ?? '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: start.data };
    case 'tool_use':
      return { type: 'tool_use', id: start.id, name: start.name, input: start.input, json: '' };
    default:
      // Server-side tools, which we never request.
      return undefined;
  }
}

function* closeBlock(block: OpenBlock): Generator<ModelEvent, void> {
  const provider = ANTHROPIC_PROVIDER;
  switch (block.type) {
    case 'text':
      return;
    case 'thinking':
      yield { type: 'thinking_block', block: { text: block.text, provider, signature: block.signature } };
      return;
    case 'redacted_thinking':
      yield { type: 'thinking_block', block: { text: '', provider, redacted: block.data } };
      return;
    case 'tool_use': {
      const { id, name, input, json } = block;
      yield { type: 'tool_call', call: { id, name, arguments: json === '' ? (input ?? {}) : readArguments(json) } };
      return;
    }
  }
}

interface Counts {
  readonly input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
}

/** Converts usage. Their input count excludes cached tokens; ours includes them. */
function readUsage(counts: Counts): Usage {
  const cached = counts.cache_read_input_tokens ?? 0;
  return {
    input: (counts.input_tokens ?? 0) + (counts.cache_creation_input_tokens ?? 0) + cached,
    cachedInput: cached,
    output: counts.output_tokens ?? 0,
    reasoning: counts.output_tokens_details?.thinking_tokens ?? 0,
  };
}

// Counts of `message_delta` override those of `message_start`, except nulls.
const withoutNulls = (counts: object): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null && value !== undefined));

function readReason(reason: TheirStopReason | null): StopReason {
  switch (reason) {
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refusal';
    case 'end_turn':
    case 'stop_sequence':
    case 'pause_turn':
    case null:
      return 'end';
  }
}
