import { randomUUID } from 'node:crypto';
import type { StoredMessage } from '../store/records.ts';
import type { EarlierMessage } from './agent.ts';
import type { OpenTurn } from './open-turn.ts';

/** A turn of a conversation that the caller keeps: its history is used, but nothing is stored. */
export function unstoredTurn(earlier: readonly EarlierMessage[]): OpenTurn {
  const conversationId = randomUUID();
  const createdAt = new Date().toISOString();
  const messages = earlier.map(
    ({ role, text }): StoredMessage => ({
      id: randomUUID(),
      conversationId,
      parentId: null,
      role,
      content: text,
      // The sources of these answers are unknown, so they count as untrusted.
      metadata: role === 'assistant' ? { read_untrusted: true } : {},
      createdAt,
    }),
  );
  return {
    conversationId,
    messages: async () => messages,
    summary: async () => undefined,
    saveSummary: async () => {},
    async *save(events) {
      yield* events;
    },
  };
}
