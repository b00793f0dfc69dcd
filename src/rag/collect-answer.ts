import { ServiceError } from '../errors.ts';
import type { RagAnswer, RagEvent } from './rag-event.ts';

/** Consumes the event stream and returns the final answer. */
export async function collectAnswer(events: AsyncIterable<RagEvent>): Promise<RagAnswer> {
  for await (const event of events) if (event.type === 'final_answer') return event.answer;
  throw new ServiceError('internal', 'The stream ended without an answer.');
}
