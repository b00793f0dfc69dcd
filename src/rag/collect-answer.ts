import { ServiceError } from '../errors.ts';
import type { RagAnswer, RagEvent } from './rag-event.ts';

/** The whole answer: the same stream, collected. */
export async function collectAnswer(events: AsyncIterable<RagEvent>): Promise<RagAnswer> {
  for await (const event of events) if (event.type === 'final_answer') return event.answer;
  throw new ServiceError('internal', 'The stream ended without an answer.');
}
