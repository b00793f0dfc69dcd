import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';

/** The data folder opened by this process, and a connection to it. */
export interface OwnedStore<Connection> {
  readonly connection: Connection;
  close(): Promise<void>;
}

export interface SharedStoreParts<Connection> {
  /** A connection to the process that holds the data folder; undefined when there is none. */
  find(): Promise<Connection | undefined>;
  /** Opens the data folder. Throws `conflict` when another process holds it. */
  open(): Promise<OwnedStore<Connection>>;
  /** Called once when another process holds the folder and does not answer yet. */
  readonly onWait?: () => void;
  /** Called when a connection is no longer used. */
  readonly onEnd?: (connection: Connection) => void;
}

/** A lease on a connection for one request. */
export interface Lease<Connection> {
  readonly connection: Connection;
  /** Reports that the process behind the connection is gone: the next request connects again. */
  reportLost(): void;
  end(): void;
}

export interface SharedStore<Connection> {
  /** Connects or opens if necessary. The caller must end each lease. */
  lease(signal?: AbortSignal): Promise<Lease<Connection>>;
  /**
   * Hands the data folder over to another process, which this one then connects to. Does nothing when it does not hold
   * it.
   */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** Number of connections on which a request is tried before it fails. */
export const MAX_CONNECTIONS = 5;

/** How long a request waits while another process is opening or closing the data folder. */
const CONNECT_WITHIN_MS = 20_000;
const POLL_INTERVAL_MS = 100;
/** Time requests in progress get to finish before the data folder is handed over. */
const HAND_OVER_GRACE_MS = 5_000;
/** Time after a hand-over during which this process does not try to open the folder again. */
const REOPEN_DELAY_MS = 10_000;

/**
 * Shares one data folder between processes: the first one opens it, the others send their requests to that one, and
 * when it ends, one of them takes over. Nothing is opened before it is needed.
 */
export function shareStore<Connection>(parts: SharedStoreParts<Connection>): SharedStore<Connection> {
  const { find, open, onWait = () => {}, onEnd = () => {} } = parts;
  let connecting: Promise<{ connection: Connection; owned?: OwnedStore<Connection> }> | undefined;
  let releasing: Promise<void> | undefined;
  let isClosed = false;
  let mayOpenAt = 0;
  let inFlight = 0;

  async function connect() {
    await releasing;
    const giveUpAt = performance.now() + CONNECT_WITHIN_MS;
    for (let isFirst = true; ; isFirst = false) {
      if (isClosed) throw new ServiceError('cancelled', 'The connection is closing.');
      const connection = await find();
      if (connection !== undefined) {
        mayOpenAt = 0;
        return { connection };
      }
      try {
        if (performance.now() >= mayOpenAt) {
          const owned = await open();
          return { connection: owned.connection, owned };
        }
      } catch (error) {
        const isTaken = error instanceof ServiceError && error.code === 'conflict';
        if (!isTaken || performance.now() > giveUpAt) throw error;
        if (isFirst) onWait();
      }
      await sleep(POLL_INTERVAL_MS);
    }
  }

  const connected = () => {
    if (connecting === undefined) {
      const attempt = connect();
      connecting = attempt;
      attempt.catch(() => {
        if (connecting === attempt) connecting = undefined;
      });
    }
    return connecting;
  };

  async function closeOwned(): Promise<void> {
    const current = await connecting?.catch(() => undefined);
    if (current?.owned === undefined) return;
    connecting = undefined;
    const closeAt = performance.now() + HAND_OVER_GRACE_MS;
    while (inFlight > 0 && performance.now() < closeAt) await sleep(20);
    onEnd(current.connection);
    await current.owned.close();
    mayOpenAt = performance.now() + REOPEN_DELAY_MS;
  }

  return {
    async lease(signal) {
      const current = connected();
      const { connection, owned } = await raceAbort(current, signal);
      inFlight++;
      return {
        connection,
        reportLost() {
          // Only `release` and `close` give up a folder that this process itself holds.
          if (connecting !== current || owned !== undefined) return;
          connecting = undefined;
          onEnd(connection);
        },
        end() {
          inFlight--;
        },
      };
    },
    release() {
      releasing ??= closeOwned().finally(() => {
        releasing = undefined;
      });
      return releasing;
    },
    async close() {
      isClosed = true;
      await releasing;
      const current = await connecting?.catch(() => undefined);
      connecting = undefined;
      if (current === undefined) return;
      onEnd(current.connection);
      await current.owned?.close();
    },
  };
}
