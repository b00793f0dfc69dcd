/** A session as far as another server has to know it to continue it. */
export interface SessionReplay {
  /** A line of the client. */
  fromClient(line: string): void;
  /** A line of the server; false when it answers a repeated message, which the client must not see. */
  fromServer(line: string): boolean;
  /** Whether the client waits for the answer to a request. */
  isAwaited(): boolean;
  /** The lines that bring a new server to the same state; open requests, which it has to answer, come last. */
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

/** Begins the ids of repeated messages. */
const REPEATED = 'citewell-repeated-';

const ACKNOWLEDGEMENT = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** Whether requests of this method end by themselves; a subscription lasts as long as the session. */
export const isAnswered = (method: string): boolean => method !== 'subscriptions/listen';
/** Milliseconds in which requests are still answered after the client has closed stdin. */
export const ANSWER_WITHIN_MS = 10_000;

/** Remembers what a stdio session consists of. Modern sessions consist of their open requests only. */
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
    // The server says what is wrong with it.
    return {};
  }
}
