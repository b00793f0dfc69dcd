import { ServiceError } from '../errors.ts';
import type { AgentAnswer, AgentEvent } from './agent-event.ts';

/** Consumes the stream to its end and returns the answer, so that the steps after the answer (naming) finish too. */
export async function collectAnswer(events: AsyncIterable<AgentEvent>): Promise<AgentAnswer> {
  let answer: AgentAnswer | undefined;
  for await (const event of events) if (event.type === 'final_answer') answer = event.answer;
  if (answer !== undefined) return answer;
  throw new ServiceError('internal', 'The run ended without an answer.');
}
