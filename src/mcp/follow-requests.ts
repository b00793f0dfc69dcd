import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { LruMap } from '../shared/lru-map.ts';

const REQUEST_CANCELLED = -32_800;
/** Number of requests of a session that are remembered after their answer or cancellation. */
const REMEMBERED = 100;
/** A longer id is not remembered, so that ids cannot take much memory. */
const MAX_ID_LENGTH = 200;

/** The requests of a session. */
export interface FollowedRequests {
  /**
   * Call before the transport handles a body. Returns the id of a request that another one, unanswered, has as well: the
   * SDK would confuse their streams, so that one would never end. Such a body must be refused.
   */
  begin(body: unknown): RequestId | undefined;
  /** Call when the response to a body that was begun has been closed. */
  end(body: unknown): void;
}

/**
 * Answers requests that the client cancels. The SDK leaves them without an answer, and a transport keeps the stream of a
 * request open until it is answered: each cancelled call would occupy a connection until the session ends, and keep the
 * session from expiring. Clients ignore the answers to requests that they have cancelled.
 *
 * A cancellation is an HTTP request of its own and may overtake its call, for example while the call is counted towards
 * the rate limit; the call is then answered instead of begun. Call this after the server has connected to the transport.
 */
export function followRequests(transport: Transport, onError: (error: Error) => void): FollowedRequests {
  /** Begun, but not yet received by the server. */
  const arriving = new Set<RequestId>();
  /** Received and not yet answered. */
  const open = new Set<RequestId>();
  /** The latest requests that were answered, or cancelled before they were received. */
  const settled = new LruMap<RequestId, 'answered' | 'cancelled'>({ max: REMEMBERED });
  const receive = transport.onmessage;
  const send = transport.send.bind(transport);

  const settle = (id: RequestId, outcome: 'answered' | 'cancelled') => {
    if (typeof id === 'number' || id.length <= MAX_ID_LENGTH) settled.set(id, outcome);
  };
  const answerCancelled = (id: RequestId) => {
    open.delete(id);
    settle(id, 'answered');
    send({ jsonrpc: '2.0', id, error: { code: REQUEST_CANCELLED, message: 'Cancelled.' } }).catch(onError);
  };
  transport.onmessage = (message, extra) => {
    if (isRequest(message)) {
      arriving.delete(message.id);
      if (settled.get(message.id) === 'cancelled') return answerCancelled(message.id);
      open.add(message.id);
    }
    receive?.(message, extra);
    const cancelled = cancelledBy(message);
    if (cancelled === undefined) return;
    if (open.has(cancelled)) answerCancelled(cancelled);
    else if (!settled.has(cancelled)) settle(cancelled, 'cancelled');
  };
  transport.send = (message, options) => {
    if (!('method' in message) && message.id !== undefined && open.delete(message.id)) settle(message.id, 'answered');
    return send(message, options);
  };

  return {
    begin(body) {
      const ids = new Set<RequestId>();
      for (const id of idsOf(body)) {
        if (ids.has(id) || arriving.has(id) || open.has(id)) return id;
        ids.add(id);
      }
      for (const id of ids) arriving.add(id);
      return undefined;
    },
    end(body) {
      for (const id of idsOf(body)) arriving.delete(id);
    },
  };
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCMessage & { readonly id: RequestId } =>
  'method' in message && 'id' in message;

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** The transport validates the messages later. */
function idsOf(body: unknown): RequestId[] {
  const messages = [body].flat() as readonly ({ readonly id?: unknown; readonly method?: unknown } | null)[];
  return messages.flatMap((message) => {
    const id = message?.method === undefined ? undefined : message.id;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}
