/** The part of a session's state that another server needs to continue it. */
export interface SessionReplay {
  /** Records a line sent by the client. */
  fromClient(line: string): void;
  /** Records a line sent by the server; false if it answers a replayed message, which the client must not see. */
  fromServer(line: string): boolean;
  /** Whether the client is waiting for the response to a request. */
  isAwaited(): boolean;
  /** The lines that bring a new server to the same state; open requests, which it has to answer, are last. */
  lines(): string[];
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly uri?: string;
    readonly requestId?: string | number;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: unknown;
}

/** Prefix of the ids of replayed messages. */
const REPEATED = 'citewell-repeated-';

const ACKNOWLEDGEMENT = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** Whether requests of this method get a response; a subscription lasts as long as the session. */
export const isAnswered = (method: string): boolean => method !== 'subscriptions/listen';
/** Milliseconds during which requests are still answered after the client has closed stdin. */
export const ANSWER_WITHIN_MS = 10_000;

/** Tracks the state of a stdio session. In the modern protocol era that is only the open requests. */
export function createSessionReplay(): SessionReplay {
  const open = new Map<string | number, Message>();
  const settled = new Map<string, Message>();
  /** Subscriptions whose acknowledgement the client has seen. */
  const acknowledged = new Set<unknown>();
  let repeatedCount = 0;
  return {
    fromClient(line) {
      const message = read(line);
      const { id, method, params } = message;
      if (method === 'notifications/initialized') settled.set(method, message);
      if (method === 'notifications/cancelled' && params?.requestId !== undefined) {
        open.delete(params.requestId);
        acknowledged.delete(params.requestId);
      }
      if (method !== undefined && id !== undefined) open.set(id, message);
    },
    fromServer(line) {
      const { id, method, params, result } = read(line);
      if (method === ACKNOWLEDGEMENT) {
        const subscription = params?._meta?.[SUBSCRIPTION_ID];
        const isFirst = !acknowledged.has(subscription);
        acknowledged.add(subscription);
        return isFirst;
      }
      if (id === undefined || method !== undefined) return true;
      if (String(id).startsWith(REPEATED)) return false;
      const request = open.get(id);
      open.delete(id);
      acknowledged.delete(id);
      if (request !== undefined && result !== undefined) settle(request);
      return true;
    },
    isAwaited: () => [...open.values()].some(({ method = '' }) => isAnswered(method)),
    lines: () => [...settled.values(), ...open.values()].map((message) => JSON.stringify(message)),
  };

  function settle(request: Message): void {
    const { method = '', params } = request;
    const repeated = { ...request, id: `${REPEATED}${repeatedCount++}` };
    if (method === 'initialize' || method === 'logging/setLevel') settled.set(method, repeated);
    if (method === 'resources/subscribe') settled.set(`uri ${params?.uri}`, repeated);
    if (method === 'resources/unsubscribe') settled.delete(`uri ${params?.uri}`);
  }
}

function read(line: string): Message {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // The server reports the invalid message.
    return {};
  }
}
