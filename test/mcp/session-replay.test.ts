import { expect, it } from 'vitest';
import { createSessionReplay } from '../../src/mcp/peer/session-replay.ts';

const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });

it('brings another server to the state of a session, and hides the answers to what is repeated', () => {
  const replay = createSessionReplay();
  const ask = (id: number, method: string, params = {}, answer: object = { result: {} }) => {
    replay.fromClient(line({ id, method, params }));
    expect(replay.fromServer(line({ id, ...answer }))).toBe(true);
  };
  ask(0, 'initialize', { protocolVersion: '2025-11-25' });
  replay.fromClient(line({ method: 'notifications/initialized' }));
  ask(1, 'tools/list');
  ask(2, 'resources/subscribe', { uri: 'a:1' });
  ask(3, 'resources/subscribe', { uri: 'a:2' });
  ask(4, 'resources/subscribe', { uri: 'a:3' }, { error: { code: -32602, message: 'no' } });
  ask(5, 'resources/unsubscribe', { uri: 'a:1' });
  const open = line({ id: 6, method: 'tools/call', params: { name: 'search' } });
  replay.fromClient(open);
  replay.fromClient(line({ id: 7, method: 'tools/call', params: { name: 'slow' } }));
  replay.fromClient(line({ method: 'notifications/cancelled', params: { requestId: 7 } }));
  replay.fromClient('{ not JSON');

  const messages = replay.lines().map((each) => JSON.parse(each));
  expect(messages.map(({ method, params }) => [method, params?.uri])).toEqual([
    ['initialize', undefined],
    ['notifications/initialized', undefined],
    ['resources/subscribe', 'a:2'],
    ['tools/call', undefined],
  ]);
  expect(replay.lines().at(-1)).toBe(open);
  for (const { id } of messages.filter(({ method }) => /initialize$|subscribe/.test(method))) {
    expect(replay.fromServer(line({ id, result: {} }))).toBe(false);
  }
  expect(replay.fromServer(line({ method: 'notifications/resources/updated', params: { uri: 'a:2' } }))).toBe(true);
  expect(replay.fromServer(line({ id: 6, result: {} }))).toBe(true);
  expect(replay.lines()).toHaveLength(3);
});
