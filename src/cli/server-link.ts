import { MAX_CONNECTIONS, type SharedStore } from '../store/share-store.ts';
import {
  askServer,
  downloadFromServer,
  ServerLost,
  type ServerRequest,
  type StreamRequest,
  streamFromServer,
} from './send-request.ts';

/** Address of the process that holds the data folder. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** Whether it finishes background work by itself; a command only does what is requested. */
  readonly isLasting: boolean;
  /** Whether it serves the web page; private processes do not. */
  readonly servesPage?: boolean;
}

interface LinkRequest {
  /** Whether the request is idempotent, so that it can be repeated after a lost response. */
  readonly isRepeatable?: boolean | undefined;
}

/** Connection of a command to whichever process holds the data folder. */
export interface ServerLink {
  ask(request: ServerRequest & LinkRequest): Promise<unknown>;
  stream(
    request: StreamRequest & LinkRequest,
  ): AsyncGenerator<{ readonly event: string; readonly data: unknown }, void>;
  /** The content must be read to its end or returned. */
  download(request: ServerRequest & LinkRequest): ReturnType<typeof downloadFromServer>;
  /** The current address. */
  address(): Promise<ServerAddress>;
  close(): Promise<void>;
}

export function createServerLink(store: SharedStore<ServerAddress>): ServerLink {
  /** Runs on the process that holds the data folder, and on its successor if it ends. The caller ends the lease. */
  async function runOnHolder<T>(
    { signal, method, isRepeatable = method === 'GET' }: Pick<ServerRequest, 'method' | 'signal'> & LinkRequest,
    run: (address: ServerAddress) => Promise<T>,
  ): Promise<{ readonly value: T; end(): void }> {
    let lost: { readonly error: ServerLost; readonly token: string } | undefined;
    for (let attempt = 1; ; attempt++) {
      const lease = await store.lease(signal);
      const { connection: address, end } = lease;
      try {
        // The process still runs, so a retry would fail again.
        if (lost?.token === address.token) throw lost.error;
        return { value: await run(address), end };
      } catch (error) {
        end();
        if (!(error instanceof ServerLost) || lost?.token === address.token) throw error;
        lease.reportLost();
        if (attempt === MAX_CONNECTIONS || !(isRepeatable || !error.wasSent)) throw error;
        lost = { error, token: address.token };
      }
    }
  }

  return {
    async ask({ isRepeatable, ...request }) {
      const { value, end } = await runOnHolder({ ...request, isRepeatable }, ({ url, token }) =>
        askServer(url, { ...request, token }),
      );
      end();
      return value;
    },

    async *stream({ isRepeatable, ...request }) {
      const { value, end } = await runOnHolder({ ...request, isRepeatable }, async ({ url, token }) => {
        const events = streamFromServer(url, { ...request, token });
        return { events, first: await events.next() };
      });
      const { events, first } = value;
      try {
        if (first.done) return;
        yield first.value;
        yield* events;
      } finally {
        await events.return();
        end();
      }
    },

    async download({ isRepeatable, ...request }) {
      const { value, end } = await runOnHolder({ ...request, isRepeatable }, ({ url, token }) =>
        downloadFromServer(url, { ...request, token }),
      );
      const content = async function* () {
        try {
          yield* value.content;
        } finally {
          end();
        }
      };
      return { headers: value.headers, content: content() };
    },

    async address() {
      const lease = await store.lease();
      lease.end();
      return lease.connection;
    },

    close: store.close,
  };
}
