import { expect, it } from 'vitest';
import { createEventStore } from '../../src/mcp/event-store.ts';

const changed = { jsonrpc: '2.0', method: 'notifications/resources/list_changed' } as const;
const answer = (id: number, text = '') => ({ jsonrpc: '2.0', id, result: { text } }) as const;

async function after(store: ReturnType<typeof createEventStore>, lastId: string) {
  const sent: unknown[] = [];
  const stream = await store.replayEventsAfter(lastId, { send: async (_id, message) => void sent.push(message) });
  return { stream, sent };
}

it('replays what a stream sent after a message, and nothing of other streams', async () => {
  const store = createEventStore();
  const first = await store.storeEvent('call', answer(1));
  await store.storeEvent('other', answer(2));
  const last = await store.storeEvent('call', answer(3));
  expect(await after(store, first)).toEqual({ stream: 'call', sent: [answer(3)] });
  expect(await after(store, last)).toEqual({ stream: 'call', sent: [] });
  expect(await store.getStreamIdForEventId(last)).toBe('call');
});

it('knows no stream of an id that it has not given', async () => {
  const store = createEventStore();
  await store.storeEvent('call', answer(1));
  for (const id of ['', '2-call', 'call', '99999', '1'])
    expect(await store.getStreamIdForEventId(id), id).toBeUndefined();
});

it('keeps the result of a call while the list of documents changes a thousand times', async () => {
  const store = createEventStore();
  const begun = await store.storeEvent('call', answer(1));
  const listening = await store.storeEvent('_GET_stream', changed);
  await store.storeEvent('call', answer(2));
  for (let times = 0; times < 1_000; times++) await store.storeEvent('_GET_stream', changed);
  expect(await after(store, begun)).toEqual({ stream: 'call', sent: [answer(2)] });
  // The stream can be resumed after a message that later ones have replaced.
  expect(await store.getStreamIdForEventId(listening)).toBe('_GET_stream');
  expect(await after(store, listening)).toEqual({ stream: '_GET_stream', sent: [changed] });
});

it('drops the oldest messages above its limits', async () => {
  const store = createEventStore();
  const begun = await store.storeEvent('call', answer(0));
  for (let id = 1; id <= 600; id++) await store.storeEvent('call', answer(id));
  expect((await after(store, begun)).sent).toHaveLength(500);
  for (let id = 1; id <= 3; id++) await store.storeEvent('call', answer(id, 'x'.repeat(900_000)));
  expect((await after(store, begun)).sent).toHaveLength(2);
});
