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
  let text = '';
  try {
    const { temperature } = run.config;
    const config = { maxTokens, ...(temperature === undefined ? {} : { temperature }) };
    for await (const event of run.model.stream({
      messages,
      tools: declaredTools(run),
      toolChoice: 'none',
      config,
      signal,
    })) {
      if (event.type === 'text') text += event.text;
      if (event.type === 'stop') run.budget.add(event.model, event.usage);
    }
  } catch (error) {
    if (run.signal.aborted || !run.budget.timeUp.aborted) throw error;
    return undefined;
  }
  return text.trim();
}
