import { ServiceError } from '../errors.ts';
import type { AgentAnswer, AgentEvent } from './agent-event.ts';

/** The whole answer is the stream, collected to its end: what follows the answer (naming, storing) is waited for. */
export async function collectAnswer(events: AsyncIterable<AgentEvent>): Promise<AgentAnswer> {
  let answer: AgentAnswer | undefined;
  for await (const event of events) if (event.type === 'final_answer') answer = event.answer;
  if (answer !== undefined) return answer;
  throw new ServiceError('internal', 'The run ended without an answer.');
}
