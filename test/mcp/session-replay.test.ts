import { expect, it } from 'vitest';
import { createSessionReplay } from '../../src/mcp/peer/session-replay.ts';

it('replays the state of a session, each request under a new identifier', () => {
  const replay = createSessionReplay();
  let id = 0;
  const ask = (method: string, params: object = {}) => {
    replay.fromClient(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }));
    return replay.fromServer(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  };
  ask('initialize');
  replay.fromClient('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  ask('resources/subscribe', { uri: 'a' });
  ask('resources/subscribe', { uri: 'b' });
  ask('resources/unsubscribe', { uri: 'a' });
  ask('resources/subscribe', { uri: 'c' });
  replay.fromClient('{"jsonrpc":"2.0","id":"open","method":"tools/call"}');

  const lines = replay.lines().map((line) => JSON.parse(line));
  expect(lines.map(({ method, params }) => params?.uri ?? method)).toEqual([
    'initialize',
    'notifications/initialized',
    'b',
    'c',
    'tools/call',
  ]);
  const ids = lines.flatMap((line) => line.id ?? []);
  expect(new Set(ids).size).toBe(4);
  const passed = ids.map((each) => replay.fromServer(JSON.stringify({ jsonrpc: '2.0', id: each, result: {} })));
  expect(passed).toEqual([false, false, false, true]);
});

it('passes the acknowledgement of a subscription on once, and does not wait for its end', () => {
  const replay = createSessionReplay();
  const listen = (id: number) => replay.fromClient(JSON.stringify({ id, method: 'subscriptions/listen' }));
  const acknowledge = (id: number) =>
    replay.fromServer(
      JSON.stringify({
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
      }),
    );
  listen(1);
  listen(2);
  expect(replay.isAwaited()).toBe(false);
  expect([1, 1, 2, 1].map(acknowledge)).toEqual([true, false, true, false]);
  replay.fromClient('{"method":"notifications/cancelled","params":{"requestId":1}}');
  listen(1);
  expect(acknowledge(1)).toBe(true);
  replay.fromClient('{"id":3,"method":"tools/list"}');
  expect(replay.isAwaited()).toBe(true);
  replay.fromServer('{"id":3,"result":{}}');
  expect(replay.isAwaited()).toBe(false);
});
