import { createSourceList } from '../citations/source-list.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import type { Message } from '../models/message.ts';
import type { Model, ModelRegistry } from '../models/model.ts';
import type { PriceTable } from '../models/prices.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { selectTools } from '../toolbox/select-tools.ts';
import type { Tool, ToolNeed } from '../toolbox/tool.ts';
import type { Library } from '../toolbox/tool-context.ts';
import type { Agent, AgentRequest } from './agent.ts';
import type { AgentRun, RunContext } from './agent-run.ts';
import { askSubQuestion } from './ask-sub-question.ts';
import { type Budget, createBudget } from './budget.ts';
import { compactContext } from './compact-context.ts';
import { type ContainmentPolicy, createContainment } from './containment.ts';
import { extractivePlan } from './extractive-plan.ts';
import { openTurn } from './keep-turn.ts';
import { budgetLimits, modes } from './modes.ts';
import { runAgent } from './run-agent.ts';
import { systemPrompt } from './system-prompt.ts';

export interface AgentParts {
  readonly models: ModelRegistry;
  readonly retriever: Retriever;
  readonly library: Library;
  readonly conversations: Conversations;
  /** All tools there are, of both modes, in the order they are offered. */
  readonly tools: readonly Tool[];
  /** Names the specification has for tools, whether or not they are built and configured. */
  readonly toolNames: { readonly rag: readonly string[]; readonly research: readonly string[] };
  /** Needs that are met besides those the agent sees to itself. */
  readonly met: ReadonlySet<ToolNeed>;
  readonly analyser: TextAnalyser;
  readonly prices: PriceTable;
  readonly policy: ContainmentPolicy;
  /** Tokens a model reads at once. */
  readonly window: number;
}

const CHARACTERS_PER_TOKEN = 4;
const NEWEST_DOCUMENTS = 25;

/** The agent runtime over the rooms below it. */
export function createAgent(parts: AgentParts): Agent {
  return {
    async prepare(request) {
      const traits = modes[request.mode];
      const model = parts.models.resolve(request.generation.model, traits.slot);
      const isExtractive = model.name === EXTRACTIVE_MODEL;
      const tools = toolsFor(request, parts, isExtractive);
      // Made here so that a limit without a price is refused before anything is written.
      createBudget(budgetLimits(request.mode, request.limits), parts.prices, [model.name]).close();
      const turn = await openTurn(parts.conversations, request);
      const system = await systemMessage(request, parts);

      return {
        conversationId: turn.conversationId,
        async *events(signal) {
          const budget = createBudget(budgetLimits(request.mode, request.limits), parts.prices, [model.name]);
          try {
            const history = await turn.history();
            const run = createRun({ request, parts, model, isExtractive, tools, budget, signal }, [
              system,
              ...history,
              { role: 'user', text: request.message },
            ]);
            const namer = isExtractive ? undefined : parts.models.resolve(undefined, 'fast');
            yield* turn.keep(runAgent({ ...run, conversationId: turn.conversationId }), namer, signal);
          } finally {
            budget.close();
          }
        },
      };
    },
  };
}

interface RunParts {
  readonly request: AgentRequest;
  readonly parts: AgentParts;
  readonly model: Model;
  readonly isExtractive: boolean;
  readonly tools: readonly Tool[];
  readonly budget: Budget;
  readonly signal: AbortSignal;
}

function createRun(
  { request, parts, model, isExtractive, tools, budget, signal }: RunParts,
  transcript: readonly Message[],
): AgentRun {
  const sources = createSourceList();
  const containment = createContainment(parts.policy);
  for (const message of transcript) if (message.role === 'user') containment.trust(message.text);
  const reasoner = isExtractive ? undefined : parts.models.resolve(undefined, 'reasoning');
  const hasReasoner = reasoner !== undefined && reasoner.name !== EXTRACTIVE_MODEL;
  const context: RunContext = {
    retriever: parts.retriever,
    library: parts.library,
    settings: request.search,
    visible: request.search.filter,
    maxCharacters: request.maxToolContext * CHARACTERS_PER_TOKEN,
    ...(hasReasoner ? { reasoner } : {}),
    ask: (question, asking) => askSubQuestion({ ...run, signal: asking }, question, subTools(parts)),
  };
  const run: AgentRun = {
    conversationId: '',
    mode: request.mode,
    question: request.message,
    model: isExtractive ? extractivePlan({ question: request.message, sources, analyser: parts.analyser }) : model,
    isExtractive,
    config: request.generation,
    tools,
    context,
    budget,
    containment,
    analyser: parts.analyser,
    async compact(messages, compacting) {
      const summarizer = isExtractive ? undefined : parts.models.resolve(undefined, 'fast');
      const settings = {
        window: parts.window,
        summarizer,
        spend: budget.add.bind(budget),
      };
      return (await compactContext(messages, settings, compacting)).transcript;
    },
    signal,
    transcript,
    sources,
    citedAs: new Map(),
    toolCalls: [],
  };
  return run;
}

/** With no language model the fixed plan searches and reads; there is nothing that could plan, reason or review. */
function toolsFor(request: AgentRequest, parts: AgentParts, isExtractive: boolean): readonly Tool[] {
  const known = parts.toolNames[request.mode];
  const names = request.tools ?? modes[request.mode].tools;
  const met = new Set<ToolNeed>([...parts.met, 'answerer', ...(isExtractive ? [] : (['reasoner'] as const))]);
  const member = request.mode === 'rag' ? 'rag_tools' : 'research_tools';
  const { tools } = selectTools(names, parts.tools, met, known, member);
  return isExtractive ? subTools(parts) : tools;
}

const subTools = ({ tools, toolNames }: AgentParts): readonly Tool[] =>
  tools.filter((tool) => toolNames.rag.includes(tool.name) && tool.needs.length === 0);

async function systemMessage(request: AgentRequest, { library }: AgentParts): Promise<Message> {
  if (request.taskPrompt !== undefined) return { role: 'system', text: request.taskPrompt };
  const today = new Date().toISOString().slice(0, 10);
  const newest = request.useSystemContext
    ? await library.list(request.search.filter, { offset: 0, limit: NEWEST_DOCUMENTS })
    : { items: [], total: 0 };
  return { role: 'system', text: systemPrompt(request.mode, today, newest.items, newest.total) };
}
