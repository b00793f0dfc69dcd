import { randomUUID } from 'node:crypto';
import type { StoredMessage } from '../store/records.ts';
import type { EarlierMessage } from './agent.ts';
import type { OpenTurn } from './keep-turn.ts';

/** A turn of a conversation that its caller keeps: it is read like a stored one, and nothing of it is stored. */
export function turnWithoutMemory(earlier: readonly EarlierMessage[]): OpenTurn {
  const conversationId = randomUUID();
  const createdAt = new Date().toISOString();
  const messages = earlier.map(
    ({ role, text }): StoredMessage => ({
      id: randomUUID(),
      conversationId,
      parentId: null,
      role,
      content: text,
      // Nobody can tell any more what an answer was made from.
      metadata: role === 'assistant' ? { read_untrusted: true } : {},
      createdAt,
    }),
  );
  return {
    conversationId,
    messages: async () => messages,
    summary: async () => undefined,
    keepSummary: async () => {},
    async *keep(events) {
      yield* events;
    },
  };
}
