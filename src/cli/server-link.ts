import { MAX_CONNECTIONS, type SharedStore } from '../store/share-store.ts';
import { askServer, ServerLost, type ServerRequest, type StreamRequest, streamFromServer } from './send-request.ts';

/** A process that has the data folder, as a command reaches it. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
  /** Whether it does by itself what is left to be done in the background. A command does only what it is asked. */
  readonly isLasting: boolean;
  /** Whether a browser may open the page there; other processes serve only programs of this user. */
  readonly servesPage?: boolean;
}

interface LinkRequest {
  /** Whether a second try does no harm when the first one may have been carried out. */
  readonly isRepeatable?: boolean | undefined;
}

/** The way of one command to the process that has the data folder, whichever that is at the moment. */
export interface ServerLink {
  ask(request: ServerRequest & LinkRequest): Promise<unknown>;
  stream(
    request: StreamRequest & LinkRequest,
  ): AsyncGenerator<{ readonly event: string; readonly data: unknown }, void>;
  /** Where requests go to now. */
  address(): Promise<ServerAddress>;
  close(): Promise<void>;
}

export function createServerLink(store: SharedStore<ServerAddress>): ServerLink {
  /** Runs on the process that has the data folder, and on the next one when that goes. The caller ends the lease. */
  async function reach<T>(
    { signal, method, isRepeatable = method === 'GET' }: Pick<ServerRequest, 'method' | 'signal'> & LinkRequest,
    run: (address: ServerAddress) => Promise<T>,
  ): Promise<{ readonly value: T; end(): void }> {
    let lost: { readonly error: ServerLost; readonly token: string } | undefined;
    for (let attempt = 1; ; attempt++) {
      const lease = await store.lease(signal);
      const { connection: address, end } = lease;
      try {
        // The process is still there, so what failed would fail again.
        if (lost?.token === address.token) throw lost.error;
        return { value: await run(address), end };
      } catch (error) {
        end();
        if (!(error instanceof ServerLost) || lost?.token === address.token) throw error;
        lease.lose();
        if (attempt === MAX_CONNECTIONS || !(isRepeatable || !error.wasSent)) throw error;
        lost = { error, token: address.token };
      }
    }
  }

  return {
    async ask({ isRepeatable, ...request }) {
      const { value, end } = await reach({ ...request, isRepeatable }, ({ url, token }) =>
        askServer(url, { ...request, token }),
      );
      end();
      return value;
    },

    async *stream({ isRepeatable, ...request }) {
      const { value, end } = await reach({ ...request, isRepeatable }, async ({ url, token }) => {
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

    async address() {
      const lease = await store.lease();
      lease.end();
      return lease.connection;
    },

    close: store.close,
  };
}
