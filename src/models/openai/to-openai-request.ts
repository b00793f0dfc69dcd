import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type ArrangedMessages, argumentsObject, arrangeMessages, type Turn } from '../arrange-messages.ts';
import type { GenerationConfig } from '../generation-config.ts';
import type { ModelRequest } from '../model.ts';
import { dataUrl } from './data-url.ts';

/** Builds a streaming Chat Completions request that compatible servers accept. */
export function toOpenAiRequest(name: string, request: ModelRequest): ChatCompletionCreateParamsStreaming {
  const { config, tools } = request;
  return {
    ...config.extra,
    model: name,
    messages: toMessages(arrangeMessages(request.messages)),
    stream: true,
    stream_options: { include_usage: true },
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.topP !== undefined && { top_p: config.topP }),
    ...(config.maxTokens !== undefined && { max_tokens: config.maxTokens }),
    ...(config.reasoningEffort !== undefined && { reasoning_effort: config.reasoningEffort }),
    ...(config.responseFormat !== undefined && { response_format: toResponseFormat(config.responseFormat) }),
    ...(tools.length > 0 && {
      ...(request.toolChoice === 'none' && { tool_choice: 'none' as const }),
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function' as const,
        function: { name, description, parameters: { ...inputSchema } },
      })),
    }),
  };
}

function toMessages({ system, turns }: ArrangedMessages): ChatCompletionMessageParam[] {
  const instructions: ChatCompletionMessageParam[] = system === '' ? [] : [{ role: 'system', content: system }];
  return [...instructions, ...turns.map(toMessage)];
}

function toMessage(turn: Turn): ChatCompletionMessageParam {
  switch (turn.role) {
    case 'user':
      if (turn.images === undefined || turn.images.length === 0) return { role: 'user', content: turn.text };
      return {
        role: 'user',
        content: [
          ...(turn.text.trim() === '' ? [] : [{ type: 'text' as const, text: turn.text }]),
          ...turn.images.map((image) => ({ type: 'image_url' as const, image_url: { url: dataUrl(image) } })),
        ],
      };
    case 'tool':
      return { role: 'tool', tool_call_id: turn.callId, content: turn.text };
    case 'assistant': {
      const calls = turn.toolCalls ?? [];
      if (calls.length === 0) return { role: 'assistant', content: turn.text };
      return {
        role: 'assistant',
        content: turn.text === '' ? null : turn.text,
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(argumentsObject(call)) },
        })),
      };
    }
  }
}

// Passed through in OpenAI's notation; the server rejects what it does not support.
const toResponseFormat = (format: NonNullable<GenerationConfig['responseFormat']>) =>
  format as unknown as NonNullable<ChatCompletionCreateParamsStreaming['response_format']>;
