import { createSourceList, type SourceList } from '../citations/source-list.ts';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import type { Message } from '../models/message.ts';
import { builtInPrompts } from '../prompts/prompt-texts.ts';
import { libraryAsOf } from '../toolbox/as-of.ts';
import { selectExternalTools } from '../toolbox/external-tools.ts';
import { selectTools } from '../toolbox/select-tools.ts';
import type { Tool, ToolNeed } from '../toolbox/tool.ts';
import type { Agent, AgentRequest } from './agent.ts';
import { type Budget, type BudgetParts, createBudget, requirePrices } from './budget.ts';
import { budgetLimits, modes } from './modes.ts';
import { openTurn, unstoredTurn } from './open-turn.ts';
import { type AgentParts, compactionTo, historyShares, modelFor, prepareRun } from './prepare-run.ts';
import { type History, readHistory } from './read-history.ts';
import { runAgent } from './run-agent.ts';
import { systemPrompt } from './system-prompt.ts';

const NEWEST_DOCUMENTS = 25;

export function createAgent(parts: AgentParts): Agent {
  const { models, library, conversations, prompts = builtInPrompts } = parts;
  return {
    async prepare(request) {
      const model = models.resolve(request.generation.model, modes[request.mode].slot);
      const isExtractive = model.name === EXTRACTIVE_MODEL;
      const fast = isExtractive ? undefined : modelFor('fast', model, models);
      const tools = await toolsFor(request, parts, isExtractive);
      refuseNameClashes(request, tools);
      const budgetParts: BudgetParts = {
        limits: budgetLimits(request.mode, request.limits),
        prices: parts.prices,
        models: [model.name, ...(isExtractive ? [] : auxiliaryModelNames(request, model.name, parts))],
      };
      // Everything that can be refused comes before the conversation is created.
      requirePrices(budgetParts);
      const system = await systemMessage(request, parts);
      const { earlier } = request;
      const turn = earlier === undefined ? await openTurn(conversations, request) : unstoredTurn(earlier);

      async function historyFor(sources: SourceList, budget: Budget, signal: AbortSignal) {
        // The extractive plan uses the question only, not the history.
        if (isExtractive) return emptyHistory;
        const compaction = compactionTo(historyShares, parts, model, budget);
        const scope = { library, visible: request.search.filter };
        return readHistory({ turn, sources, compaction, ...scope }, AbortSignal.any([signal, budget.timeUp]));
      }

      return {
        conversationId: turn.conversationId,
        async *events(signal) {
          const budget = createBudget(budgetParts);
          try {
            const sources = createSourceList();
            const history = await historyFor(sources, budget, signal);
            const run = prepareRun({
              request,
              parts,
              model,
              tools,
              budget,
              system,
              history,
              sources,
              signal,
              conversationId: turn.conversationId,
              subTools: subTools(parts),
            });
            const remarks = (): Metadata => (run.containment.hasReadUntrusted ? { read_untrusted: true } : {});
            yield* turn.save(runAgent(run), { namer: fast, signal, metadata: remarks, prompts });
          } finally {
            budget.close();
          }
        },
      };
    },
  };
}

const emptyHistory: History = { messages: [], userTexts: [], hasReadUntrusted: false };

/** Auxiliary models whose cost the run may incur: summaries, naming and tools that ask a model. */
function auxiliaryModelNames({ mode }: AgentRequest, own: string, { models }: AgentParts): readonly string[] {
  const slots = mode === 'research' ? (['fast', 'reasoning'] as const) : (['fast'] as const);
  return slots.map((slot) => models.defaultName(slot)).map((name) => (name === EXTRACTIVE_MODEL ? own : name));
}

/**
 * Without a language model, only the tools of the fixed plan are offered (search and read). Nothing could plan, reason,
 * review or use external tools.
 */
async function toolsFor(request: AgentRequest, parts: AgentParts, isExtractive: boolean): Promise<readonly Tool[]> {
  const names = request.tools ?? modes[request.mode].tools;
  const externalNames = names.filter((name) => parts.external?.covers(name) === true);
  const known = [...new Set([...parts.toolNames[request.mode], ...(parts.external?.names ?? []), ...externalNames])];
  const metNeeds = new Set<ToolNeed>([...parts.metNeeds, 'answerer', ...(isExtractive ? [] : (['reasoner'] as const))]);
  const member = request.mode === 'rag' ? 'rag_tools' : 'research_tools';
  const tools = selectTools(names, { tools: parts.tools, metNeeds, known, member });
  if (isExtractive) return request.mode === 'rag' && request.tools !== undefined ? tools : subTools(parts);
  if (request.tools !== undefined && externalNames.length === 0) return tools;
  const offered = (await parts.external?.offer()) ?? [];
  return [...tools, ...(request.tools === undefined ? offered : selectExternalTools(offered, externalNames))];
}

/** Throws `invalid_request` if a function of the caller has the name of an agent tool: a call would be ambiguous. */
function refuseNameClashes({ clientTools }: AgentRequest, tools: readonly Tool[]): void {
  const clashing = clientTools?.specs.find((spec) => tools.some(({ name }) => name === spec.name));
  if (clashing === undefined) return;
  throw new ServiceError(
    'invalid_request',
    `tools: the agent has a tool named "${clashing.name}" itself; rename your function or leave it out.`,
  );
}

/** Tools for sub-questions: those of the RAG mode, and the web tools if configured (docs/contract.md 5.7, rag). */
const subTools = ({ tools, toolNames, metNeeds }: AgentParts): readonly Tool[] =>
  tools.filter((tool) => toolNames.rag.includes(tool.name) && tool.needs.every((need) => metNeeds.has(need)));

async function systemMessage(
  request: AgentRequest,
  { library, prompts = builtInPrompts }: AgentParts,
): Promise<Message> {
  if (request.taskPrompt !== undefined) return { role: 'system', text: request.taskPrompt };
  const today = new Date().toISOString().slice(0, 10);
  const newest = request.useSystemContext
    ? await libraryAsOf(library, request.search.asOf).list(request.search.filter, {
        offset: 0,
        limit: NEWEST_DOCUMENTS,
      })
    : { items: [], total: 0 };
  return {
    role: 'system',
    text: systemPrompt({ mode: request.mode, today, newest: newest.items, total: newest.total, prompts }),
  };
}
