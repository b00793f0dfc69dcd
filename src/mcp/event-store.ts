import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Maximum number of messages per session that a client can replay after a broken stream. */
const MAX_EVENTS = 500;
const MAX_CHARACTERS = 2_000_000;

interface StoredEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** Ring buffer of a session's latest messages, for resuming streams. */
export function createEventStore(): EventStore {
  const events = new Map<string, StoredEvent>();
  let count = 0;
  let size = 0;
  return {
    async storeEvent(stream, message) {
      const id = String(++count);
      const event = { stream, message, size: JSON.stringify(message).length };
      events.set(id, event);
      size += event.size;
      for (const [oldest, { size: freed }] of events) {
        if (events.size <= MAX_EVENTS && size <= MAX_CHARACTERS) break;
        events.delete(oldest);
        size -= freed;
      }
      return id;
    },
    async getStreamIdForEventId(id) {
      return events.get(id)?.stream;
    },
    async replayEventsAfter(lastId, { send }) {
      const stream = events.get(lastId)?.stream ?? '';
      for (const [id, event] of events) {
        if (event.stream === stream && Number(id) > Number(lastId)) await send(id, event.message);
      }
      return stream;
    },
  };
}
