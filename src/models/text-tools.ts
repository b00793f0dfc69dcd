import { newId } from '../documents/ids.ts';
import type { Message, ToolCall } from './message.ts';
import type { Model, ModelEvent, ModelRequest, ToolSpec } from './model.ts';
import { recoverStream } from './recover-stream.ts';
import { isToolBlock, readToolBlock, TOOL_BLOCK, toolBlocks } from './tool-blocks.ts';

/** Provider-qualified names of models without native tool calls; extended when a provider rejects tools. */
export type TextToolNames = Pick<Set<string>, 'has' | 'add'>;

/**
 * Emulates tool calls for models without native support: tools are described in the system prompt, calls are parsed
 * from a fenced block at the end of the text, and results are sent as text. The first rejection of a request with tools
 * switches a model over; models in `names` start that way.
 */
export function withTextTools(model: Model, names: TextToolNames): Model {
  return {
    name: model.name,
    stream(request) {
      if (request.tools.length === 0) return model.stream(request);
      if (names.has(model.name)) return streamAsText(model, request);
      return recoverStream(model.stream(request), (error) => {
        if (!isToolRejection(error)) throw error;
        names.add(model.name);
        return streamAsText(model, request);
      });
    },
  };
}

async function* streamAsText(model: Model, request: ModelRequest): AsyncGenerator<ModelEvent, void> {
  const { messages, tools, toolChoice, ...rest } = request;
  const known = new Set(tools.map(({ name }) => name));
  const blocks = toolBlocks((body) => isToolBlock(body, known));
  const calls: ToolCall[] = [];
  const plain = { ...rest, messages: toPlainMessages(messages, toolChoice === 'none' ? [] : tools), tools: [] };
  for await (const event of model.stream(plain)) {
    if (event.type === 'text') {
      yield* textOf(blocks.push(event.text));
    } else if (event.type === 'stop') {
      yield* textOf(blocks.end());
      for (const body of blocks.bodies) {
        calls.push(...readToolBlock(body).map((call) => ({ id: `call_${newId()}`, ...call })));
      }
      for (const call of calls) yield { type: 'tool_call', call };
      yield { ...event, reason: calls.length > 0 && event.reason === 'end' ? 'tool_calls' : event.reason };
    } else yield event;
  }
}

function* textOf(text: string): Generator<ModelEvent> {
  if (text !== '') yield { type: 'text', text };
}

/** Converts a transcript to plain text messages without tool calls. */
function toPlainMessages(messages: readonly Message[], tools: readonly ToolSpec[]): Message[] {
  const plain = messages.map(toPlainMessage);
  return tools.length === 0 ? plain : [{ role: 'system', text: instructions(tools) }, ...plain];
}

function toPlainMessage(message: Message): Message {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => ({ name, arguments: given }));
      const block = calls.length === 0 ? '' : `\n\n\`\`\`${TOOL_BLOCK}\n${JSON.stringify(calls)}\n\`\`\``;
      return { role: 'assistant', text: `${message.text}${block}`.trim() };
    }
    case 'tool':
      return { role: 'user', text: `Result of ${message.name}:\n${message.text}` };
  }
}

const instructions = (
  tools: readonly ToolSpec[],
): string => `You can call tools. To do so, end your reply with one block of exactly this form, and write nothing after it:

\`\`\`${TOOL_BLOCK}
[{"name": "name_of_the_tool", "arguments": {"name_of_an_argument": "value"}}]
\`\`\`

The block holds one JSON array; several calls may stand in it. The results come in the next message; never write them yourself. When you need no tool, answer without a block.

The tools, with the JSON Schema of their arguments:
${tools.map(({ name, description, inputSchema }) => `\n${name}: ${description}\n${JSON.stringify(inputSchema)}`).join('\n')}`;

// Messages of Ollama, of OpenAI-compatible servers and routers, and of vLLM without a tool parser.
const TOOLS_REJECTED =
  /does(?: not|n't) support (?:tools?|tool[ _-]?(?:use|calls?|calling)|function[ _-]?call(?:s|ing)?)|tools? (?:is|are|use is|calling is) not supported|no endpoints found that support tool use|requires --enable-auto-tool-choice|`?tools`? (?:param(?:eter)? )?(?:is|are) not supported/i;

/** Whether a provider rejected a request because of its tools; the provider's message is in the cause. */
export function isToolRejection(error: unknown): boolean {
  for (let cause = error, depth = 0; typeof cause === 'object' && cause !== null && depth < 5; depth++) {
    const { message, error: body, cause: next } = cause as Partial<Record<'message' | 'error' | 'cause', unknown>>;
    if (TOOLS_REJECTED.test(JSON.stringify([message ?? null, body ?? null]))) return true;
    cause = next;
  }
  return false;
}
