import { ServiceError } from '../errors.ts';
import type { ToolCall } from './message.ts';
import type { Model, ModelEvent, ModelRequest } from './model.ts';

/** A model's whole reply, for callers that do not stream it: its text, its calls, and the end of its stream. */
export interface ModelReply extends Omit<Extract<ModelEvent, { readonly type: 'stop' }>, 'type'> {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** Waits for the whole reply. Throws the model's errors, and `provider_failed` if the stream ends too early. */
export async function collectReply(model: Model, request: ModelRequest): Promise<ModelReply> {
  let text = '';
  const calls: ToolCall[] = [];
  for await (const event of model.stream(request)) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'tool_call') calls.push(event.call);
    if (event.type !== 'stop') continue;
    const { type: _, ...end } = event;
    return { text, calls, ...end };
  }
  throw new ServiceError('provider_failed', `The stream of ${model.name} ended before its answer did.`);
}
