import { collectReply } from '../models/collect-reply.ts';
import type { Message } from '../models/message.ts';
import type { AgentRun } from './agent-run.ts';
import { declaredTools } from './declared-tools.ts';

/**
 * Asks the run's model a side question, without streaming, on the run's budget. The tools are declared because some
 * providers require it, but calling them is forbidden. Undefined when the run's time limit expires meanwhile.
 */
export async function askSideQuestion(
  run: AgentRun,
  messages: readonly Message[],
  maxTokens: number,
): Promise<string | undefined> {
  const signal = AbortSignal.any([run.signal, run.budget.timeUp]);
  try {
    const { temperature } = run.config;
    const config = { maxTokens, ...(temperature === undefined ? {} : { temperature }) };
    const request = { messages, tools: declaredTools(run), toolChoice: 'none', config, signal } as const;
    const { text, model, usage } = await collectReply(run.model, request);
    run.budget.add(model, usage);
    return text.trim();
  } catch (error) {
    if (run.signal.aborted || !run.budget.timeUp.aborted) throw error;
    return undefined;
  }
}
