import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** One server-sent event; `data` is text as it came. */
export interface StreamedEvent {
  readonly event: string;
  readonly data: string;
}

/** The events of docs/contract.md 5.5; comments are passed over. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent, void> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { event = 'message', data } of ready.splice(0)) yield { event, data };
  }
}
