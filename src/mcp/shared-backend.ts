import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { Backend, CallOptions, CorpusChange, Operation } from './backend.ts';
import { createPeerBackend, type PeerAddress, PeerLost } from './peer/peer-backend.ts';

/** Citewell in this process, which then has the data folder. */
export interface OwnedBackend {
  readonly backend: Backend;
  close(): Promise<void>;
}

export interface SharedBackendParts {
  /** The process that has the data folder and can be asked; undefined when there is none. */
  find(): Promise<PeerAddress | undefined>;
  /** Takes the data folder. Throws `conflict` when another process has it. */
  open(): Promise<OwnedBackend>;
}

export interface SharedBackend extends Backend {
  /** Connects or opens now, so that the first call need not wait. */
  warm(): Promise<void>;
  /** Lets another process have the data folder, which this one then asks. Does nothing when it has not got it. */
  release(): Promise<void>;
  close(): Promise<void>;
}

type Connection =
  | { readonly kind: 'owner'; readonly backend: Backend; readonly unsubscribe: () => void; close(): Promise<void> }
  | { readonly kind: 'peer'; readonly backend: Backend; readonly unsubscribe: () => void };

/** How long a call waits for a data folder that another process is just opening or closing. */
const CONNECT_WITHIN = 20_000;
const LOOK_AGAIN = 100;
/** How long calls in progress get to end before the data folder is handed over. */
const HAND_OVER_GRACE = 5_000;
/** After handing over, the other process comes first for as long. */
const HANDS_OFF = 10_000;

/**
 * Citewell wherever it is: the first process opens the data folder, the others ask that one, and when it goes one of
 * them takes its place. Nothing is opened before it is needed.
 */
export function createSharedBackend({ find, open }: SharedBackendParts): SharedBackend {
  const listeners = new Set<(change: CorpusChange) => void>();
  let connecting: Promise<Connection> | undefined;
  let releasing: Promise<void> | undefined;
  let isClosed = false;
  let mayOpenAt = 0;
  let inFlight = 0;

  const listen = (backend: Backend) =>
    backend.onChange((change) => {
      for (const listener of listeners) listener(change);
    });

  async function connect(): Promise<Connection> {
    await releasing;
    const giveUpAt = performance.now() + CONNECT_WITHIN;
    for (;;) {
      const address = await find();
      if (address !== undefined) {
        mayOpenAt = 0;
        const backend = createPeerBackend(address);
        return { kind: 'peer', backend, unsubscribe: listen(backend) };
      }
      if (isClosed) throw new ServiceError('cancelled', 'The server is closing.');
      try {
        if (performance.now() >= mayOpenAt) {
          const owned = await open();
          return { kind: 'owner', backend: owned.backend, unsubscribe: listen(owned.backend), close: owned.close };
        }
      } catch (error) {
        const isTaken = error instanceof ServiceError && error.code === 'conflict';
        if (!isTaken || performance.now() > giveUpAt) throw error;
      }
      await sleep(LOOK_AGAIN);
    }
  }

  const connection = (): Promise<Connection> => {
    if (connecting === undefined) {
      const attempt = connect();
      connecting = attempt;
      attempt.catch(() => {
        if (connecting === attempt) connecting = undefined;
      });
    }
    return connecting;
  };

  const drop = (lost: Promise<Connection>, { unsubscribe }: Connection) => {
    unsubscribe();
    if (connecting === lost) connecting = undefined;
  };

  const ask =
    (operation: Operation) =>
    async (request: unknown, options: CallOptions): Promise<never> => {
      for (let isRetry = false; ; isRetry = true) {
        const current = connection();
        const connected = await untilAborted(current, options.signal);
        const run = connected.backend[operation] as (request: unknown, options: CallOptions) => Promise<never>;
        inFlight++;
        try {
          return await run(request, options);
        } catch (error) {
          if (!(error instanceof PeerLost)) throw error;
          drop(current, connected);
          // Every tool may be called twice: they only read, or do nothing the second time.
          if (isRetry) throw new ServiceError('store_failed', 'The process that has the data folder was lost.');
        } finally {
          inFlight--;
        }
      }
    };

  async function letGo(): Promise<void> {
    const current = await connecting?.catch(() => undefined);
    if (current?.kind !== 'owner') return;
    connecting = undefined;
    const closeBy = performance.now() + HAND_OVER_GRACE;
    while (inFlight > 0 && performance.now() < closeBy) await sleep(20);
    current.unsubscribe();
    await current.close();
    mayOpenAt = performance.now() + HANDS_OFF;
  }

  return {
    call: ask('call'),
    documents: ask('documents'),
    document: ask('document'),
    chunk: ask('chunk'),
    facts: ask('facts'),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async warm() {
      await connection();
    },
    release() {
      releasing ??= letGo().finally(() => {
        releasing = undefined;
      });
      return releasing;
    },
    async close() {
      isClosed = true;
      await releasing;
      const current = await connecting?.catch(() => undefined);
      connecting = undefined;
      current?.unsubscribe();
      if (current?.kind === 'owner') await current.close();
    },
  };
}

/** The connection, or the signal's reason: nobody waits for an opening that is no longer wanted. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
