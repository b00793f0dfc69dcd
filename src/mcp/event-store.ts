import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Maximum number of messages per session that a client can replay after a broken stream. */
const MAX_EVENTS = 500;
const MAX_CHARACTERS = 2_000_000;

interface StoredEvent {
  readonly number: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  /** The message as JSON. */
  readonly json: string;
}

/**
 * Ring buffer of a session's latest messages, for resuming streams. A notification replaces an equal, earlier one of its
 * stream: while documents are ingested the list changes every second, which must not displace the result of a call.
 */
export function createEventStore(): Required<EventStore> {
  const events = new Map<string, StoredEvent>();
  let count = 0;
  let size = 0;

  const remove = (key: string) => {
    size -= events.get(key)?.json.length ?? 0;
    events.delete(key);
  };

  return {
    async storeEvent(stream, message) {
      const number = ++count;
      const json = JSON.stringify(message);
      const key = 'id' in message ? String(number) : `${stream} ${json}`;
      remove(key);
      events.set(key, { number, stream, message, json });
      size += json.length;
      for (const oldest of events.keys()) {
        if (events.size <= MAX_EVENTS && size <= MAX_CHARACTERS) break;
        remove(oldest);
      }
      return idOf(number, stream);
    },
    async getStreamIdForEventId(id) {
      const { number, stream } = readId(id);
      return number <= count ? stream : undefined;
    },
    async replayEventsAfter(lastId, { send }) {
      const last = readId(lastId);
      for (const { number, stream, message } of [...events.values()]) {
        if (stream === last.stream && number > last.number) await send(idOf(number, stream), message);
      }
      return last.stream;
    },
  };
}

// The id names the stream, so that a stream can be resumed after a message that is no longer kept.
const idOf = (number: number, stream: string): string => `${number}-${stream}`;

function readId(id: string): { readonly number: number; readonly stream: string } {
  const [, number = 'Infinity', stream = ''] = /^(\d+)-(.+)$/.exec(id) ?? [];
  return { number: Number(number), stream };
}
