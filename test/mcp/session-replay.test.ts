import { expect, it } from 'vitest';
import { createSessionReplay } from '../../src/mcp/peer/session-replay.ts';

it('repeats what a session consists of, each request with an identifier of its own', () => {
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
    ...['initialize', 'notifications/initialized', 'b', 'c', 'tools/call'],
  ]);
  const ids = lines.flatMap((line) => line.id ?? []);
  expect(new Set(ids).size).toBe(4);
  const passed = ids.map((each) => replay.fromServer(JSON.stringify({ jsonrpc: '2.0', id: each, result: {} })));
  expect(passed).toEqual([false, false, false, true]);
});
