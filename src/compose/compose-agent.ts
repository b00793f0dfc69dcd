import { ragToolNames, ragTools, researchToolNames, researchTools } from '../../tools/index.ts';
import type { Agent } from '../agent/agent.ts';
import { createAgent } from '../agent/create-agent.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { PromptService } from '../prompts/prompt-service.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { InProcessMadeFiles } from '../runs/in-process-made-files.ts';
import { InProcessRunLog } from '../runs/in-process-run-log.ts';
import type { MadeFiles } from '../runs/made-files.ts';
import { defaultRunLogSettings, type RunLog } from '../runs/run-log.ts';
import { SharedMadeFiles } from '../runs/shared-made-files.ts';
import { SharedRunLog } from '../runs/shared-run-log.ts';
import type { Corpus } from '../store/corpus.ts';
import type { ToolNeed } from '../toolbox/tool.ts';
import type { TraceTool } from '../toolbox/tool-context.ts';
import type { Adapters } from './adapters.ts';

const productTools = {
  tools: [...ragTools, ...researchTools],
  toolNames: { rag: ragToolNames, research: researchToolNames },
};

interface AgentParts {
  readonly adapters: Adapters;
  readonly corpus: Corpus;
  readonly retriever: Retriever;
  readonly conversations: Conversations;
  readonly prompts: PromptService;
  readonly traceTool: TraceTool | undefined;
  readonly report: (message: string, cause?: unknown) => void;
}

interface AgentServices {
  readonly agent: Agent;
  readonly runs: RunLog;
  readonly madeFiles: MadeFiles;
}

/** Wires the agent with the tools whose needs these adapters meet, and the records of its runs. */
export function composeAgent(parts: AgentParts): AgentServices {
  const { adapters, corpus, retriever, conversations, prompts, traceTool, report } = parts;
  const { store, models, web, sandbox, external, analyser, settings } = adapters;
  const { sharedState } = store;
  const madeFiles = sharedState ? new SharedMadeFiles(sharedState.files, report) : new InProcessMadeFiles();
  const agent = createAgent({
    models,
    retriever,
    library: corpus,
    conversations,
    ...(adapters.tools ?? productTools),
    ...(web && { web }),
    sandbox,
    traceTool,
    report,
    metNeeds: metNeeds(adapters),
    external,
    madeFiles,
    analyser,
    prices: settings.prices,
    policy: settings.policy,
    window: settings.contextTokens,
    prompts,
  });
  const runSettings = { ...defaultRunLogSettings, graceMs: settings.graceMs };
  const runs = sharedState ? new SharedRunLog(sharedState.runs, runSettings, report) : new InProcessRunLog(runSettings);
  return { agent, runs, madeFiles };
}

function metNeeds({ web, sandbox }: Adapters): ReadonlySet<ToolNeed> {
  const needs = new Set<ToolNeed>();
  if (web !== undefined) needs.add('web_pages');
  if (web?.webSearch !== undefined) needs.add('web_search');
  if (sandbox !== undefined) needs.add('sandbox');
  return needs;
}
