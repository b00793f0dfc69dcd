import { isDeepStrictEqual } from 'node:util';
import type { AgentEvent } from '../../src/agent/agent-event.ts';
import type { Model, ModelRegistry } from '../../src/models/model.ts';
import { type OpenAiModelParts, openAiModel } from '../../src/models/openai/openai-model.ts';
import { openAiClient } from '../../src/models/openai/openai-provider.ts';
import { createModelRegistry } from '../../src/models/registry.ts';
import { createRejectedParameters } from '../../src/models/rejected-parameters.ts';
import { defaultTimeLimits } from '../../src/models/watch-stream.ts';
import type { JsonSchema, Tool } from '../../src/toolbox/tool.ts';
import { toolFromJsonSchema } from '../../src/toolbox/tool-from-json-schema.ts';
import { openAiProvider } from '../models/support.ts';
import type { OpenStore } from './adapters.ts';
import { agentOver } from './agent-over-store.ts';
import { messageReply, startFakeAnthropic } from './fake-anthropic.ts';
import { chatReply, responsesReply, startFakeOpenAi } from './fake-openai.ts';
import type { FakeProvider, Reply } from './fake-provider.ts';

/** A question with tools and the correct calls. */
export interface ToolCallRow {
  readonly id: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonSchema;
  }[];
  readonly calls: readonly { readonly name: string; readonly arguments: JsonSchema }[];
}

/** A call as streamed by a model: its arguments are raw text, which may be invalid JSON. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A provider's wire format, served by a local server for the real client. */
export interface WireProvider {
  readonly name: string;
  readonly models: ModelRegistry;
  readonly server: FakeProvider;
  reply(turn: { readonly text?: string; readonly toolCalls?: readonly WireCall[] }): Reply;
}

const noRetries = { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 };

/** All wire formats; the caller closes each server. */
export async function startWireProviders(): Promise<readonly WireProvider[]> {
  const [chat, responses, anthropic] = await Promise.all([startFakeOpenAi(), startFakeOpenAi(), startFakeAnthropic()]);
  const registry = (settings: Parameters<typeof createModelRegistry>[0], model: string) =>
    createModelRegistry({ ...settings, models: { quality: model, fast: model, reasoning: model }, retry: noRetries });
  return [
    {
      name: 'OpenAI Chat Completions',
      server: chat,
      models: registry({ providers: [{ name: 'fake', baseUrl: chat.baseUrl }] }, 'fake/gpt-4.1'),
      reply: chatReply,
    },
    {
      name: 'OpenAI Responses',
      server: responses,
      // The registry uses this API only with OpenAI's own address, so the model is created directly.
      models: onlyThis(openAiModel('gpt-6.1-sol', responsesParts(responses.baseUrl))),
      reply: responsesReply,
    },
    {
      name: 'Anthropic Messages',
      server: anthropic,
      models: registry(
        { anthropic: { apiKey: 'sk-ant-test', baseUrl: anthropic.baseUrl } },
        'anthropic/claude-sonnet-5-5',
      ),
      reply: messageReply,
    },
  ];
}

const onlyThis = (model: Model): ModelRegistry => ({ resolve: () => model, defaultName: () => model.name });

function responsesParts(baseUrl: string): OpenAiModelParts {
  const provider = openAiProvider(baseUrl, { isOpenAi: true });
  return { provider, client: openAiClient(provider), limits: defaultTimeLimits, rejected: createRejectedParameters() };
}

export interface Played {
  readonly reached: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly events: readonly AgentEvent[];
}

/** Runs the agent on the row's question; the provider makes these calls and then answers. */
export async function playCalls(
  store: OpenStore,
  { models, server, reply }: WireProvider,
  row: ToolCallRow,
  calls: readonly WireCall[],
): Promise<Played> {
  const reached: { name: string; arguments: unknown }[] = [];
  const tools = row.tools.map(
    (given): Tool =>
      toolFromJsonSchema({
        ...given,
        async execute(input) {
          reached.push({ name: given.name, arguments: input });
          return { text: 'done', structured: { done: true } };
        },
      }),
  );
  const names = tools.map(({ name }) => name);
  const agent = await agentOver(store, models, { tools: { tools, toolNames: { rag: names, research: [] } } });
  server.next(reply({ toolCalls: calls }), reply({ text: 'Done.' }));
  const question = row.messages.map(({ content }) => content).join('\n');
  const events = await agent.ask(question, { tools: names });
  return { reached, events };
}

export const wireCalls = ({ calls }: ToolCallRow): WireCall[] =>
  calls.map(({ name, arguments: given }, index) => ({
    id: `call_${index + 1}`,
    name,
    arguments: JSON.stringify(given),
  }));

/** Whether every call reached its tool, in order and with equal arguments. */
export const isWhole = ({ calls }: ToolCallRow, { reached }: Played): boolean =>
  isDeepStrictEqual(
    reached,
    calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
  );

/** All ways in which a model can get its first call wrong; `code` is the error code of the result. */
export function brokenVariants(
  row: ToolCallRow,
): { readonly code: string; readonly call: WireCall; readonly why: string }[] {
  const [first] = wireCalls(row);
  const [{ arguments: given = {} } = {}] = row.calls;
  if (first === undefined) return [];
  const schema = row.tools.find(({ name }) => name === first.name)?.inputSchema;
  const required = Array.isArray(schema?.['required']) ? schema['required'].map(String) : [];
  const [member] = required;
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const misfit = properties[member ?? '']?.['type'] === 'object' ? 7 : { wrong: [true] };
  const withoutMember = Object.fromEntries(Object.entries(given).filter(([name]) => name !== member));
  const of = (why: string, code: string, change: Partial<WireCall>) => ({ why, code, call: { ...first, ...change } });
  return [
    ...(member === undefined
      ? []
      : [
          of('missing argument', 'invalid_argument', { arguments: JSON.stringify(withoutMember) }),
          of('wrong type', 'invalid_argument', { arguments: JSON.stringify({ ...given, [member]: misfit }) }),
        ]),
    of('unknown tool', 'unknown_tool', { name: `${first.name}_x` }),
    of('broken JSON', 'invalid_argument', { arguments: `${first.arguments.slice(0, -1)}, "open": ` }),
  ];
}

/** Whether the invalid call became an error result, no tool was called, and the run answered. */
export const isSurvived = (code: string, { reached, events }: Played): boolean =>
  reached.length === 0 &&
  events.at(-1)?.type === 'final_answer' &&
  events.some((event) => event.type === 'tool_result' && event.isError && event.content.startsWith(`Error [${code}]`));
