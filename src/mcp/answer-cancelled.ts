import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';

const REQUEST_CANCELLED = -32_800;

/**
 * Answers requests that the client cancels. The SDK leaves them without an answer, and a transport keeps the stream of a
 * request open until it is answered: each cancelled call would occupy a connection until the session ends, and keep the
 * session from expiring. Clients ignore the answers to requests that they have cancelled. Call this after the server has
 * connected to the transport.
 */
export function answerCancelled(transport: Transport, onError: (error: Error) => void): void {
  const open = new Set<RequestId>();
  const receive = transport.onmessage;
  const send = transport.send.bind(transport);
  transport.onmessage = (message, extra) => {
    if (isRequest(message)) open.add(message.id);
    receive?.(message, extra);
    const cancelled = cancelledBy(message);
    if (cancelled === undefined || !open.delete(cancelled)) return;
    send({ jsonrpc: '2.0', id: cancelled, error: { code: REQUEST_CANCELLED, message: 'Cancelled.' } }).catch(onError);
  };
  transport.send = (message, options) => {
    if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    return send(message, options);
  };
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCMessage & { readonly id: RequestId } =>
  'method' in message && 'id' in message;

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
