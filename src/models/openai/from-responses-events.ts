import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { readArguments } from '../arrange-messages.ts';
import type { ModelEvent, StopReason, Usage } from '../model.ts';
import { StreamTruncated } from '../provider-error.ts';
import { snapshotName } from '../snapshot-name.ts';
import { RESPONSES_PROVIDER } from './to-responses-request.ts';

/** Converts a Responses stream. Throws StreamTruncated if it ends early, or the provider's error if one is reported. */
export async function* fromResponsesEvents(
  events: AsyncIterable<ResponseStreamEvent>,
  model: string,
): AsyncGenerator<ModelEvent, void> {
  let hasCalls = false;
  let refused = false;
  let hasSentThinking = false;
  let isEmpty = true;

  for await (const event of events) {
    isEmpty = false;
    switch (event.type) {
      case 'response.output_text.delta':
        yield { type: 'text', text: event.delta };
        break;
      case 'response.refusal.delta':
        refused = true;
        yield { type: 'text', text: event.delta };
        break;
      case 'response.reasoning_summary_part.added':
        // Summary parts are paragraphs without separators.
        if (hasSentThinking) yield { type: 'thinking', text: '\n\n' };
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        hasSentThinking = true;
        yield { type: 'thinking', text: event.delta };
        break;
      case 'response.output_item.done':
        hasCalls ||= event.item.type === 'function_call';
        yield* finishedItem(event.item);
        break;
      case 'response.completed':
      case 'response.incomplete': {
        const snapshot = snapshotName(model, event.response.model);
        yield {
          type: 'stop',
          reason: readReason(event.response, hasCalls, refused),
          usage: readUsage(event.response.usage),
          model,
          ...(snapshot !== undefined && { snapshot }),
        };
        return;
      }
      case 'response.failed':
        throw new FailedResponse(event.response.error ?? { code: 'server_error' });
      case 'error':
        throw new FailedResponse(event);
      default:
        // The other event types (about fifty) carry nothing that we report.
        break;
    }
  }
  throw new StreamTruncated({ isEmpty });
}

/** Carries the reported error in the property where the SDK puts error bodies. */
class FailedResponse extends Error {
  override readonly name = 'FailedResponse';
  readonly error: object;

  constructor(error: object) {
    super('The response failed.');
    this.error = error;
  }
}

function* finishedItem(item: ResponseOutputItem): Generator<ModelEvent, void> {
  if (item.type === 'function_call') {
    yield { type: 'tool_call', call: { id: item.call_id, name: item.name, arguments: readArguments(item.arguments) } };
  }
  if (item.type === 'reasoning' && item.encrypted_content) {
    const text = (item.summary ?? []).map((part) => part.text).join('\n\n');
    yield {
      type: 'thinking_block',
      block: { text, provider: RESPONSES_PROVIDER, id: item.id, signature: item.encrypted_content },
    };
  }
}

function readReason(response: Response, hasCalls: boolean, refused: boolean): StopReason {
  const cut = response.incomplete_details?.reason;
  if (cut === 'content_filter' || refused) return 'refusal';
  if (cut === 'max_output_tokens') return 'length';
  return hasCalls ? 'tool_calls' : 'end';
}

function readUsage(usage: ResponseUsage | null | undefined): Usage {
  return {
    input: usage?.input_tokens ?? 0,
    cachedInput: usage?.input_tokens_details?.cached_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
    reasoning: usage?.output_tokens_details?.reasoning_tokens ?? 0,
  };
}
