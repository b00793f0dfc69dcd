import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { newId } from '../../documents/ids.ts';
import { readArguments } from '../arrange-messages.ts';
import { type ModelEvent, noUsage, type StopReason, type Usage } from '../model.ts';
import { StreamTruncated } from '../provider-error.ts';
import { snapshotName } from '../snapshot-name.ts';
import { splitThinkTags } from './split-think-tags.ts';

/** Converts a Chat Completions stream. `model` is the qualified name. Throws StreamTruncated if it ends early. */
export async function* fromOpenAiEvents(
  chunks: AsyncIterable<ChatCompletionChunk>,
  model: string,
): AsyncGenerator<ModelEvent, void> {
  const calls: PartialCall[] = [];
  const tags = splitThinkTags();
  let usage = noUsage;
  let finish: string | null = null;
  let refused = false;
  let snapshot: string | undefined;
  let isEmpty = true;

  for await (const chunk of chunks) {
    isEmpty = false;
    // Some servers send cumulative usage with every chunk; the last one counts.
    if (chunk.usage) usage = readUsage(chunk.usage);
    snapshot ??= snapshotName(model, chunk.model);
    const [choice] = chunk.choices ?? [];
    if (choice === undefined) continue;
    const delta: Delta = choice.delta ?? {};
    const thinking = delta.reasoning_content ?? delta.reasoning;
    if (thinking) yield { type: 'thinking', text: thinking };
    if (delta.content) yield* tags.push(delta.content);
    if (delta.refusal) {
      refused = true;
      yield { type: 'text', text: delta.refusal };
    }
    for (const part of delta.tool_calls ?? []) addPart(calls, part);
    finish = choice.finish_reason ?? finish;
  }

  if (finish === null) throw new StreamTruncated({ isEmpty });
  yield* tags.end();
  for (const call of calls) {
    const { id, name } = call;
    yield { type: 'tool_call', call: { id: id ?? `call_${newId()}`, name, arguments: readArguments(call.json) } };
  }
  const reason = readReason(finish, calls.length > 0, refused);
  yield { type: 'stop', reason, usage, model, ...(snapshot !== undefined && { snapshot }) };
}

// Compatible servers send thinking under one of two names outside of OpenAI's format.
type Delta = Partial<ChatCompletionChunk.Choice.Delta> & {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
};

interface PartialCall {
  readonly index: number;
  readonly id: string | undefined;
  name: string;
  json: string;
}

// A new id starts a new call even at a known index: some servers use index 0 for every call.
function addPart(calls: PartialCall[], part: ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const index = part.index ?? 0;
  let call = calls.findLast((known) => known.index === index);
  if (call === undefined || (part.id && call.id !== part.id && part.function?.name)) {
    call = { index, id: part.id || undefined, name: '', json: '' };
    calls.push(call);
  }
  // The name is not streamed in parts; some servers repeat it with every part.
  if (call.name === '') call.name = part.function?.name ?? '';
  call.json += argumentText(part.function?.arguments);
}

// Some servers send the arguments as an object.
const argumentText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function readUsage(usage: NonNullable<ChatCompletionChunk['usage']>): Usage {
  return {
    input: usage.prompt_tokens ?? 0,
    cachedInput: usage.prompt_tokens_details?.cached_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

function readReason(finish: string, hasCalls: boolean, refused: boolean): StopReason {
  if (finish === 'length') return 'length';
  if (finish === 'content_filter' || refused) return 'refusal';
  return hasCalls ? 'tool_calls' : 'end';
}
