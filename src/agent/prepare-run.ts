import type { SourceList } from '../citations/source-list.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import type { Message } from '../models/message.ts';
import type { Model, ModelRegistry, ModelSlot } from '../models/model.ts';
import type { PriceTable } from '../models/prices.ts';
import { builtInPrompts, type PromptTexts } from '../prompts/prompt-texts.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { MadeFiles } from '../runs/made-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { libraryAsOf } from '../toolbox/as-of.ts';
import { exchangeMessages, noClientTools } from '../toolbox/client-tools.ts';
import type { ExternalTools } from '../toolbox/external-tools.ts';
import type { Tool, ToolNeed } from '../toolbox/tool.ts';
import type { Library, ToolContext, TraceTool } from '../toolbox/tool-context.ts';
import type { AgentRequest } from './agent.ts';
import type { AgentRun } from './agent-run.ts';
import { askSubQuestion } from './ask-sub-question.ts';
import type { Budget } from './budget.ts';
import { type CompactionSettings, compactContext } from './compact-context.ts';
import { type ContainmentPolicy, createContainment } from './containment.ts';
import { extractivePlan } from './extractive-plan.ts';
import type { History } from './read-history.ts';

export interface AgentParts {
  readonly models: ModelRegistry;
  readonly retriever: Retriever;
  readonly library: Library;
  readonly conversations: Conversations;
  /** All tools of both modes, in the order in which they are offered. */
  readonly tools: readonly Tool[];
  /** Tool names defined by the contract, whether or not this installation offers the tools. */
  readonly toolNames: { readonly rag: readonly string[]; readonly research: readonly string[] };
  /** Web search and page fetching, for tools that need them. */
  readonly web?: Pick<ToolContext, 'webSearch' | 'webPages'>;
  readonly traceTool?: TraceTool | undefined;
  readonly report?: ToolContext['report'];
  /** Python sandbox, when available; `metNeeds` must then contain the `sandbox` need. */
  readonly sandbox?: Sandbox | undefined;
  readonly madeFiles: Pick<MadeFiles, 'keep'>;
  /** Tools of external MCP servers; offered in both modes unless the request names its tools. */
  readonly external?: ExternalTools;
  /** Needs met by the installation; the agent itself meets the others. */
  readonly metNeeds: ReadonlySet<ToolNeed>;
  readonly analyser: TextAnalyser;
  readonly prices: PriceTable;
  readonly policy: ContainmentPolicy;
  /** Context window of the models in tokens. */
  readonly window: number;
  /** Prompts sent to models; the built-in ones by default. */
  readonly prompts?: PromptTexts;
}

const CHARACTERS_PER_TOKEN = 4;

/** Shares of the context window: compaction starts above `compactAbove` and keeps the newest `kept` verbatim. */
interface WindowShares {
  readonly compactAbove: number;
  readonly kept: number;
}

/** History leaves room for the current turn. A run may use the rest, less a reserve for reply and estimation errors. */
export const historyShares: WindowShares = { compactAbove: 0.5, kept: 0.2 };
const runShares: WindowShares = { compactAbove: 0.75, kept: 0.35 };

export interface RunParts {
  readonly request: AgentRequest;
  readonly parts: AgentParts;
  readonly conversationId: string;
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** Tools for sub-questions. */
  readonly subTools: readonly Tool[];
  readonly budget: Budget;
  readonly system: Message;
  readonly history: History;
  /** Already contains the sources of earlier turns. */
  readonly sources: SourceList;
  readonly signal: AbortSignal;
}

/** Builds the run from the request and the available parts. */
export function prepareRun({ request, parts, model, budget, history, sources, signal, ...rest }: RunParts): AgentRun {
  const isExtractive = model.name === EXTRACTIVE_MODEL;
  const analyser = memoized(parts.analyser);
  const containment = createContainment(parts.policy);
  for (const text of [...history.userTexts, request.message, request.taskPrompt ?? ''])
    containment.trust(text, 'person');
  const clientTools = isExtractive ? noClientTools : (request.clientTools ?? noClientTools);
  if (history.hasReadUntrusted || clientTools.exchange.length > 0) containment.readUntrusted();
  const compaction = compactionTo(runShares, parts, model, budget);
  // A result that compaction could not keep would not fit beside the rest of the transcript.
  const maxToolTokens = Math.min(request.maxToolContext, Math.floor(parts.window * runShares.kept));
  const run: AgentRun = {
    conversationId: rest.conversationId,
    mode: request.mode,
    question: request.message,
    model: isExtractive ? extractivePlan({ question: request.message, sources, analyser }) : model,
    isExtractive,
    config: request.generation,
    tools: rest.tools,
    clientTools,
    context: {
      retriever: parts.retriever,
      library: libraryAsOf(parts.library, request.search.asOf),
      settings: request.search,
      visible: request.search.filter,
      ...parts.web,
      traceTool: parts.traceTool,
      report: parts.report,
      ...(parts.sandbox && { sandbox: parts.sandbox }),
      keepFiles: (files) => parts.madeFiles.keep(request.principal.userId, files),
      mayContact: (url) => containment.mayContact(url),
      prompts: parts.prompts ?? builtInPrompts,
      maxCharacters: maxToolTokens * CHARACTERS_PER_TOKEN,
      ...(isExtractive ? {} : { reasoner: modelFor('reasoning', model, parts.models) }),
      ask: (question, scope, askSignal) =>
        askSubQuestion({ ...run, signal: askSignal }, question, scope, rest.subTools),
    },
    maxToolTokens,
    budget,
    containment,
    analyser,
    prompts: parts.prompts ?? builtInPrompts,
    compact: async (messages, compacting) => (await compactContext(messages, compaction, compacting)).transcript,
    signal,
    transcript: [
      rest.system,
      ...history.messages,
      { role: 'user', text: request.message },
      ...exchangeMessages(clientTools),
    ],
    sources,
    inheritedSources: sources.size,
    publicNumbers: new Map(),
    toolCalls: [],
  };
  return run;
}

/** Model for an auxiliary task: the one configured for the slot, or the run's main model. */
export function modelFor(slot: ModelSlot, own: Model, models: ModelRegistry): Model {
  const model = models.resolve(undefined, slot);
  return model.name === EXTRACTIVE_MODEL ? own : model;
}

export function compactionTo(
  { compactAbove, kept }: WindowShares,
  { window, models, prompts = builtInPrompts }: Pick<AgentParts, 'window' | 'models' | 'prompts'>,
  model: Model,
  budget: Budget,
): CompactionSettings {
  return {
    maxTokens: window * compactAbove,
    keptTokens: window * kept,
    summarizer: model.name === EXTRACTIVE_MODEL ? undefined : modelFor('fast', model, models),
    spend: (name, usage) => budget.add(name, usage),
    prompts,
  };
}

/** Caches analyses, because the same sources are compared with many statements. */
function memoized({ analyse, analyseQuery }: TextAnalyser): TextAnalyser {
  const known = new Map<string, readonly string[]>();
  return {
    analyseQuery,
    analyse(text) {
      const terms = known.get(text) ?? analyse(text);
      known.set(text, terms);
      return terms;
    },
  };
}
