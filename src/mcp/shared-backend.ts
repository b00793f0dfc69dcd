import { ServiceError } from '../errors.ts';
import { MAX_CONNECTIONS, type SharedStoreParts, shareStore } from '../store/share-store.ts';
import type { Backend, CallOptions, CorpusChange, Operation } from './backend.ts';
import { createPeerBackend, type PeerAddress, PeerUnavailable } from './peer/peer-backend.ts';

/** Backend in this process, which then holds the data folder. */
export interface OwnedBackend {
  readonly backend: Backend;
  close(): Promise<void>;
}

export interface SharedBackendParts {
  /** Address of the process that holds the data folder; undefined when there is none. */
  find(): Promise<PeerAddress | undefined>;
  /** Acquires the data folder. Throws `conflict` when another process holds it. */
  open(): Promise<OwnedBackend>;
}

export interface SharedBackend extends Backend {
  /** Connects to a process or opens the data folder ahead of the first call. */
  warm(): Promise<void>;
  /** Releases the data folder to another process and uses that process from then on. No effect if not the holder. */
  release(): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  readonly backend: Backend;
  readonly unsubscribe: () => void;
}

/** Backend in this process, or a proxy to the process that holds the data folder. */
export function createSharedBackend({ find, open }: SharedBackendParts): SharedBackend {
  const listeners = new Set<(change: CorpusChange) => void>();
  const toConnection = (backend: Backend): Connection => ({
    backend,
    unsubscribe: backend.onChange((change) => {
      for (const listener of listeners) listener(change);
    }),
  });
  const parts: SharedStoreParts<Connection> = {
    async find() {
      const address = await find();
      return address && toConnection(createPeerBackend(address));
    },
    async open() {
      const owned = await open();
      return { connection: toConnection(owned.backend), close: owned.close };
    },
    onEnd: ({ unsubscribe }) => unsubscribe(),
  };
  const store = shareStore(parts);

  const ask =
    (operation: Operation) =>
    async (request: unknown, options: CallOptions): Promise<never> => {
      for (let attempt = 1; ; attempt++) {
        const lease = await store.lease(options.signal);
        const run = lease.connection.backend[operation] as (request: unknown, options: CallOptions) => Promise<never>;
        try {
          return await run(request, options);
        } catch (error) {
          if (!(error instanceof PeerUnavailable)) throw error;
          lease.reportLost();
          // Retrying is safe: tools are read-only or idempotent.
          if (attempt === MAX_CONNECTIONS) {
            throw new ServiceError('store_failed', 'Lost the connection to the process that is using the data folder.');
          }
        } finally {
          lease.end();
        }
      }
    };

  return {
    call: ask('call'),
    documents: ask('documents'),
    document: ask('document'),
    chunk: ask('chunk'),
    file: ask('file'),
    visible: ask('visible'),
    facts: ask('facts'),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async warm() {
      (await store.lease()).end();
    },
    release: store.release,
    close: store.close,
  };
}
