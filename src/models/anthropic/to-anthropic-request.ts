import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { ServiceError } from '../../errors.ts';
import { argumentsObject, arrangeMessages, type Turn } from '../arrange-messages.ts';
import type { GenerationConfig } from '../generation-config.ts';
import type { MessageImage, ThinkingBlock } from '../message.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import { effortFor, THINKING_HEADROOM } from '../thinking.ts';
import { type AnthropicTraits, anthropicTraits } from './model-traits.ts';

/** Provider of thinking blocks that are sent back to this API. */
export const ANTHROPIC_PROVIDER = 'anthropic';

/** Settings of older models, which the SDK's types no longer contain. */
export type AnthropicRequest = MessageCreateParamsStreaming & {
  readonly temperature?: number;
  readonly top_p?: number;
};

const DEFAULT_MAX_TOKENS = 4096;
const MIN_BUDGET = 1024;

/** Builds a streaming Messages request. Throws `invalid_request` for an invalid thinking budget. */
export function toAnthropicRequest(name: string, request: ModelRequest): AnthropicRequest {
  const { config } = request;
  const traits = anthropicTraits(name);
  const { system, turns } = arrangeMessages(request.messages);
  const wantsThinking = checkThinking(config, traits) && canThink(turns);
  const tools = toTools(request.tools, turns);
  const outputConfig = toOutputConfig(config, traits, wantsThinking);
  return {
    ...config.extra,
    model: name,
    max_tokens: outputLimit(config, traits),
    stream: true,
    ...(system !== '' && { system: [cached(text(system))] }),
    messages: toMessages(turns),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && callsForbidden(request) && { tool_choice: { type: 'none' } }),
    ...(wantsThinking && { thinking: toThinking(config, traits) }),
    ...(outputConfig !== undefined && { output_config: outputConfig }),
    ...(traits.takesSampling && !wantsThinking && toSampling(config)),
  };
}

/** Whether thinking is requested; validates its settings (docs/contract.md 4.3). */
function checkThinking(
  { extendedThinking, thinkingBudget, maxTokens }: GenerationConfig,
  traits: AnthropicTraits,
): boolean {
  if (!extendedThinking) return false;
  if (thinkingBudget === undefined) {
    throw new ServiceError(
      'invalid_request',
      'Anthropic models need thinking_budget when extended_thinking is on: the tokens the model may think, less than max_tokens.',
    );
  }
  if (maxTokens !== undefined && thinkingBudget >= maxTokens) {
    throw new ServiceError(
      'invalid_request',
      `thinking_budget (${thinkingBudget}) must be less than max_tokens (${maxTokens}), which counts the thinking too. Raise max_tokens or lower the budget.`,
    );
  }
  if (traits.thinking === 'budget' && thinkingBudget < MIN_BUDGET) {
    throw new ServiceError(
      'invalid_request',
      `thinking_budget (${thinkingBudget}) is below ${MIN_BUDGET}, the least Anthropic takes.`,
    );
  }
  return true;
}

// With thinking enabled, the API requires the thinking that led to earlier tool calls. Calls made without it (by another
// provider or before thinking was enabled) cannot be continued with thinking.
function canThink(turns: readonly Turn[]): boolean {
  const lastQuestion = turns.findLastIndex((turn) => turn.role === 'user');
  return turns
    .slice(lastQuestion + 1)
    .every((turn) => turn.role !== 'assistant' || !turn.toolCalls?.length || ownThinking(turn.thinking).length > 0);
}

function toThinking({ thinkingBudget }: GenerationConfig, traits: AnthropicTraits): ThinkingConfigParam {
  // Newer models return the text of their thinking only on request.
  if (traits.thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  return { type: 'enabled', budget_tokens: thinkingBudget ?? MIN_BUDGET };
}

function outputLimit(
  { maxTokens, extendedThinking, thinkingBudget }: GenerationConfig,
  traits: AnthropicTraits,
): number {
  if (extendedThinking) return maxTokens ?? DEFAULT_MAX_TOKENS + (thinkingBudget ?? 0);
  return (maxTokens ?? DEFAULT_MAX_TOKENS) + (traits.thinksByDefault ? THINKING_HEADROOM : 0);
}

function toOutputConfig(
  config: GenerationConfig,
  traits: AnthropicTraits,
  wantsThinking: boolean,
): OutputConfig | undefined {
  const sendsEffort =
    traits.thinking === 'adaptive' && (wantsThinking || traits.thinksByDefault || config.reasoningEffort !== undefined);
  const schema = readSchema(config.responseFormat);
  if (!sendsEffort && schema === undefined) return undefined;
  return {
    ...(sendsEffort && { effort: effortFor(config) }),
    ...(schema !== undefined && { format: { type: 'json_schema' as const, schema } }),
  };
}

function readSchema(format: GenerationConfig['responseFormat']): Record<string, unknown> | undefined {
  const wrapper = format?.['json_schema'];
  if (typeof wrapper !== 'object' || wrapper === null || !('schema' in wrapper)) return undefined;
  const { schema } = wrapper;
  return typeof schema === 'object' && schema !== null ? { ...schema } : undefined;
}

// Newer models reject both settings together; a top_p of 1 is the default and can be dropped.
function toSampling({ temperature, topP }: GenerationConfig): { temperature?: number; top_p?: number } {
  if (temperature !== undefined) return { temperature: Math.min(temperature, 1) };
  return topP !== undefined && topP < 1 ? { top_p: topP } : {};
}

const callsForbidden = ({ tools, toolChoice }: ModelRequest): boolean => tools.length === 0 || toolChoice === 'none';

// A transcript with tool calls needs the tool definitions even when no further call is allowed.
function toTools(tools: readonly ToolSpec[], turns: readonly Turn[]): Tool[] {
  if (tools.length > 0) {
    return tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: { ...inputSchema, type: 'object' },
    }));
  }
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? (turn.toolCalls ?? []) : []));
  return [...new Set(calls.map((call) => call.name))].map((name) => ({ name, input_schema: { type: 'object' } }));
}

function toMessages(turns: readonly Turn[]): MessageParam[] {
  const messages: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...toBlocks(turn));
    else messages.push({ role, content: toBlocks(turn) });
  }
  // The first message must be the user's, and so must the last: newer models do not continue an assistant message.
  if (messages[0]?.role === 'assistant')
    messages.unshift({ role: 'user', content: [text('(The conversation so far.)')] });
  if (messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: [text('Continue.')] });
  markCached(messages);
  return messages;
}

function toBlocks(turn: Turn): ContentBlockParam[] {
  switch (turn.role) {
    case 'user':
      // Images first, as Anthropic recommends.
      return [...(turn.images ?? []).map(toImage), ...(turn.text.trim() === '' ? [] : [text(turn.text)])];
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: turn.callId,
          content: turn.text.trim() === '' ? '(no output)' : turn.text,
          ...(turn.isError && { is_error: true }),
        },
      ];
    case 'assistant':
      return [
        ...ownThinking(turn.thinking).map(toThinkingBlock),
        ...(turn.text.trim() === '' ? [] : [text(turn.text.trimEnd())]),
        ...(turn.toolCalls ?? []).map((call) => ({
          type: 'tool_use' as const,
          id: call.id,
          name: call.name,
          input: argumentsObject(call),
        })),
      ];
  }
}

const ownThinking = (blocks: readonly ThinkingBlock[] = []): readonly ThinkingBlock[] =>
  blocks.filter(({ provider, signature, redacted }) => provider === ANTHROPIC_PROVIDER && (signature ?? redacted));

function toThinkingBlock({ text, signature, redacted }: ThinkingBlock): ContentBlockParam {
  return redacted === undefined
    ? { type: 'thinking', thinking: text, signature: signature ?? '' }
    : { type: 'redacted_thinking', data: redacted };
}

// Each turn of a tool loop repeats all previous messages, so the end of the transcript is a cache breakpoint too. The
// breakpoint on the system prompt covers tools and instructions.
function markCached(messages: readonly { content: ContentBlockParam[] }[]): void {
  const last = messages.at(-1)?.content;
  const block = last?.at(-1);
  if (last !== undefined && block?.type === 'tool_result') last[last.length - 1] = cached(block);
}

const toImage = ({ mediaType, data }: MessageImage): ContentBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data },
});

const text = (value: string): TextBlockParam => ({ type: 'text', text: value });

const cached = <Block extends TextBlockParam | ToolResultBlockParam>(block: Block): Block => ({
  ...block,
  cache_control: { type: 'ephemeral' },
});
