import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { Message, ToolCall } from '../../models/message.ts';
import { defaultGeneration, generationConfig } from './generation-config.ts';
import { optional } from './tolerant.ts';

/** Text, or a list of text parts, which are joined. Throws `invalid_request` for other parts. */
const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).transform((parts) =>
    parts
      .map(({ type, text }) => {
        if (type === 'text' && text !== undefined) return text;
        throw new ServiceError('invalid_request', `A message part of type "${type}" is not supported; send text.`);
      })
      .join('\n'),
  ),
]);

const toolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** docs/contract.md 4.4. */
export const message = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'function', 'tool']),
    content: optional(content),
    name: optional(z.string()),
    tool_call_id: optional(z.string()),
    tool_calls: optional(z.array(toolCall)),
  })
  .meta({ id: 'Message' })
  .transform((wire): Message => {
    const text = wire.content ?? '';
    switch (wire.role) {
      case 'system':
      case 'user':
        return { role: wire.role, text };
      case 'assistant':
        return { role: 'assistant', text, ...(wire.tool_calls ? { toolCalls: wire.tool_calls.map(toToolCall) } : {}) };
      case 'function':
      case 'tool': {
        const name = wire.name ?? '';
        return { role: 'tool', callId: wire.tool_call_id ?? name, name, text, isError: false };
      }
    }
  });

/** docs/contract.md 5.4. */
export const completionRequest = z
  .object({
    messages: z.array(message).min(1),
    generation_config: optional(generationConfig),
  })
  .transform(({ messages, generation_config }) => ({ messages, ...(generation_config ?? defaultGeneration) }));

const toToolCall = ({ id, function: { name, arguments: json } }: z.output<typeof toolCall>): ToolCall =>
  parseToolCall(id, name, json);

/** Parses a tool call whose arguments are JSON text. */
export function parseToolCall(id: string, name: string, json: string): ToolCall {
  try {
    return { id, name, arguments: JSON.parse(json) };
  } catch {
    return { id, name, arguments: json };
  }
}
