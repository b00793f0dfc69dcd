import type {
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseTextConfig,
} from 'openai/resources/responses/responses';
import { argumentsObject, arrangeMessages, type Turn } from '../arrange-messages.ts';
import type { GenerationConfig } from '../generation-config.ts';
import type { ThinkingBlock } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import { effortFor, THINKING_HEADROOM } from '../thinking.ts';
import { dataUrl } from './data-url.ts';
import { isReasoningModel } from './model-traits.ts';

/** Provider of thinking blocks that are sent back to this API. */
export const RESPONSES_PROVIDER = 'openai';

/** Builds a streaming Responses request. Nothing is stored at the provider; the whole transcript is sent each time. */
export function toResponsesRequest(name: string, request: ModelRequest): ResponseCreateParamsStreaming {
  const { config, tools } = request;
  const { system, turns } = arrangeMessages(request.messages);
  const reasons = isReasoningModel(name);
  return {
    ...config.extra,
    model: name,
    input: turns.flatMap((turn) => toItems(turn, reasons)),
    ...(system !== '' && { instructions: system }),
    stream: true,
    store: false,
    ...(config.maxTokens !== undefined && { max_output_tokens: outputLimit(config, config.maxTokens, reasons) }),
    ...(reasons
      ? { reasoning: toReasoning(config), include: ['reasoning.encrypted_content' as const] }
      : {
          ...(config.temperature !== undefined && { temperature: config.temperature }),
          ...(config.topP !== undefined && { top_p: config.topP }),
        }),
    ...(config.responseFormat !== undefined && { text: { format: toFormat(config.responseFormat) } }),
    ...(tools.length > 0 && {
      ...(request.toolChoice === 'none' && { tool_choice: 'none' as const }),
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: { ...inputSchema },
        strict: false,
      })),
    }),
  };
}

// Summaries are requested only when thinking is to be shown: OpenAI gives them to verified organizations only.
function toReasoning(config: GenerationConfig): NonNullable<ResponseCreateParamsStreaming['reasoning']> {
  return { effort: effortFor(config), ...(config.extendedThinking && { summary: 'auto' as const }) };
}

const outputLimit = (config: GenerationConfig, limit: number, reasons: boolean): number =>
  reasons && !config.extendedThinking ? limit + THINKING_HEADROOM : limit;

function toItems(turn: Turn, reasons: boolean): ResponseInputItem[] {
  switch (turn.role) {
    case 'user':
      if (turn.images === undefined || turn.images.length === 0) return [{ role: 'user', content: turn.text }];
      return [
        {
          role: 'user',
          content: [
            ...(turn.text.trim() === '' ? [] : [{ type: 'input_text' as const, text: turn.text }]),
            ...turn.images.map((image) => ({
              type: 'input_image' as const,
              image_url: dataUrl(image),
              detail: 'auto' as const,
            })),
          ],
        },
      ];
    case 'tool':
      return [{ type: 'function_call_output', call_id: turn.callId, output: turn.text }];
    case 'assistant':
      return [
        ...(reasons ? (turn.thinking ?? []).flatMap(toReasoningItem) : []),
        ...(turn.text === '' ? [] : [{ role: 'assistant' as const, content: turn.text }]),
        ...(turn.toolCalls ?? []).map((call) => ({
          type: 'function_call' as const,
          call_id: call.id,
          name: call.name,
          arguments: JSON.stringify(argumentsObject(call)),
        })),
      ];
  }
}

function toReasoningItem({ provider, id, text, signature }: ThinkingBlock): ResponseInputItem[] {
  if (provider !== RESPONSES_PROVIDER || id === undefined || signature === undefined) return [];
  const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
  return [{ type: 'reasoning', id, summary, encrypted_content: signature }];
}

/** Chat Completions nests the schema under `json_schema`; Responses expects its members next to `type`. */
function toFormat(format: NonNullable<GenerationConfig['responseFormat']>): NonNullable<ResponseTextConfig['format']> {
  const { json_schema: schema, ...rest } = format;
  const flat = typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? { ...rest, ...schema } : rest;
  return flat as unknown as NonNullable<ResponseTextConfig['format']>;
}
