import { z } from 'zod';
import type { AgentRequest } from '../../agent/agent.ts';
import { MAX_TOOL_CONTEXT } from '../../agent/plain-request.ts';
import { ServiceError } from '../../errors.ts';
import { defaultGeneration, generationConfig } from './generation-config.ts';
import { message } from './message.ts';
import { RESUMABLE } from './resumable.ts';
import { detailOf, type HitDetail, searchMembers, toSearchSettings } from './search-settings.ts';
import { defined, numeric, optional, snakeCased } from './tolerant.ts';

/** Addition: hard limits of this run. Tokens include all input (also cached) and output; dollars need a known price. */
const budget = snakeCased(
  z.object({
    steps: optional(numeric(z.number().int().min(1).max(100))),
    tokens: optional(numeric(z.number().int().min(1))),
    seconds: optional(numeric(z.number().positive().max(86_400))),
    dollars: optional(numeric(z.number().positive())),
  }),
).transform(defined);

const toolNames = z.array(z.string());

/** docs/contract.md 5.3. */
export const agentRequest = z
  .object({
    message: optional(z.union([z.string().transform((text) => ({ role: 'user' as const, text })), message])),
    query: optional(z.string()),
    messages: optional(z.array(message)).describe('A conversation whose last message is the question.'),
    mode: optional(z.enum(['rag', 'research'])),
    ...searchMembers,
    rag_generation_config: optional(generationConfig),
    research_generation_config: optional(generationConfig),
    rag_tools: optional(toolNames).describe('Tools of mode rag.'),
    research_tools: optional(toolNames).describe('Tools of mode research.'),
    tools: optional(toolNames).meta({ deprecated: true }),
    task_prompt: optional(z.string()),
    use_system_context: optional(z.boolean()),
    conversation_id: optional(z.guid().toLowerCase()).describe('The conversation to continue; a new one if absent.'),
    max_tool_context_length: optional(numeric(z.number().int().min(1))),
    needs_initial_conversation_name: optional(z.boolean()),
    needsInitialConversationName: optional(z.boolean()).meta({ deprecated: true }),
    budget: optional(budget).describe('Limits of this run.'),
    resumable: optional(z.boolean()).describe(RESUMABLE),
  })
  .meta({ id: 'AgentRequest' })
  .transform((wire): AgentCall => {
    const mode = wire.mode ?? 'rag';
    const generation =
      (mode === 'research' ? wire.research_generation_config : undefined) ??
      wire.rag_generation_config ??
      defaultGeneration;
    const tools = (mode === 'rag' ? wire.rag_tools : wire.research_tools) ?? wire.tools;
    const name = wire.needs_initial_conversation_name ?? wire.needsInitialConversationName;
    return {
      stream: generation.stream,
      isResumable: wire.resumable ?? false,
      detail: detailOf(wire),
      request: {
        mode,
        ...questionOf(wire),
        ...(wire.conversation_id === undefined ? {} : { conversationId: wire.conversation_id }),
        search: toSearchSettings(wire),
        generation: generation.config,
        ...(tools === undefined ? {} : { tools }),
        ...(wire.task_prompt === undefined ? {} : { taskPrompt: wire.task_prompt }),
        useSystemContext: wire.use_system_context ?? true,
        maxToolContext: wire.max_tool_context_length ?? MAX_TOOL_CONTEXT,
        ...(name === undefined ? {} : { name }),
        limits: wire.budget ?? {},
      },
    };
  });

export interface AgentCall {
  readonly stream: boolean;
  readonly isResumable: boolean;
  readonly detail: HitDetail;
  readonly request: Omit<AgentRequest, 'principal'>;
}

interface QuestionFields {
  readonly message: z.output<typeof message> | undefined;
  readonly query: string | undefined;
  readonly messages: readonly z.output<typeof message>[] | undefined;
}

/**
 * The question from exactly one of the three members (docs/contract.md D3). Of several messages, the last is the
 * question and the others precede it.
 */
function questionOf({
  message: single,
  query,
  messages,
}: QuestionFields): Pick<AgentRequest, 'message' | 'precedingMessages'> {
  const given = [single, query, messages].filter((member) => member !== undefined);
  if (given.length !== 1) {
    throw new ServiceError(
      'invalid_request',
      `Give exactly one of message, query and messages; ${given.length === 0 ? 'none was' : 'several were'} given.`,
    );
  }
  const message = single ?? messages?.at(-1) ?? { role: 'user' as const, text: query ?? '' };
  if (message.role !== 'user') {
    throw new ServiceError('invalid_request', `The message to answer must have the role user, not ${message.role}.`);
  }
  if (message.text.trim() === '') throw new ServiceError('invalid_request', 'The message is empty; it needs content.');
  // Tool messages are dropped, because the answers based on them are included.
  const precedingMessages = (messages ?? [])
    .slice(0, -1)
    .flatMap(({ role, text }) => (role === 'tool' || text.trim() === '' ? [] : [{ role, text }]));
  return { message: message.text, ...(precedingMessages.length > 0 && { precedingMessages }) };
}
