import type { Source } from '../citations/citation.ts';
import { createSourceList } from '../citations/source-list.ts';
import { allOf, type Filter } from '../documents/filter.ts';
import { ServiceError } from '../errors.ts';
import { noUsage } from '../models/model.ts';
import { noClientTools } from '../toolbox/client-tools.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { SubAnswer } from '../toolbox/tool-context.ts';
import type { AgentRun } from './agent-run.ts';
import type { Budget, BudgetReason } from './budget.ts';
import { modes } from './modes.ts';
import { runAgent } from './run-agent.ts';
import { systemPrompt } from './system-prompt.ts';

/**
 * Runs the RAG agent on one sub-question: same corpus and budget as the outer run, the same filter narrowed by `scope`,
 * but its own transcript and source numbers. Usage is added to the outer budget as it happens, so the returned answer
 * reports none.
 */
export async function askSubQuestion(
  outer: AgentRun,
  question: string,
  scope: Filter,
  tools: readonly Tool[],
): Promise<SubAnswer> {
  const filter = allOf(outer.context.visible, scope);
  const today = new Date().toISOString().slice(0, 10);
  const run: AgentRun = {
    ...outer,
    mode: 'rag',
    question,
    tools,
    clientTools: noClientTools,
    context: { ...outer.context, settings: { ...outer.context.settings, filter }, visible: filter },
    budget: withOwnSteps(outer.budget),
    transcript: [
      { role: 'system', text: systemPrompt({ mode: 'rag', today, newest: [], total: 0, prompts: outer.prompts }) },
      { role: 'user', text: question },
    ],
    sources: createSourceList(),
    inheritedSources: 0,
    publicNumbers: new Map(),
    toolCalls: [],
  };
  for await (const event of runAgent(run)) {
    if (event.type !== 'final_answer') continue;
    const { answer } = event;
    const cited = answer.citations.map(({ number, source }) => [number, source] as const);
    return {
      text: answer.text,
      sources: new Map<number, Source>(cited),
      evidence: new Map(answer.citations.map(({ number, verdict, quotes }) => [number, { verdict, quotes }])),
      unsupported: answer.unsupported.map(({ start, end }) => answer.text.slice(start, end)),
      ...(answer.support !== undefined && { support: answer.support }),
      model: answer.model,
      usage: noUsage,
      isUntrusted: run.containment.hasReadUntrusted,
    };
  }
  throw new ServiceError('internal', 'The sub-question ended without an answer.');
}

/** A budget with its own step count that shares tokens, time and money with the outer run. */
function withOwnSteps(outer: Budget): Budget {
  let steps = 0;
  const max = modes.rag.steps;
  const own = (shared: BudgetReason | undefined) =>
    shared !== undefined && shared !== 'steps' ? shared : steps >= max ? 'steps' : undefined;
  return {
    ...outer,
    limits: { ...outer.limits, steps: max },
    startStep: () => {
      steps++;
    },
    spent: () => ({ ...outer.spent(), steps }),
    limitExceededBy: (input) => own(outer.limitExceededBy(input)),
    limitAfterStep: (input) => own(outer.limitAfterStep(input)),
    close: () => {},
  };
}
