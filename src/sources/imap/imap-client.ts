import { isIP } from 'node:net';
import type { ImapFlow, MailboxObject } from 'imapflow';
import { ServiceError } from '../../errors.ts';
import type { RemoteNetwork } from '../connector.ts';
import { asMailFailure } from './imap-failure.ts';

export interface ImapAccount {
  readonly host: string;
  readonly port?: number | undefined;
  /** Use implicit TLS on a port other than 993; without it, such ports use STARTTLS. */
  readonly tls?: boolean | undefined;
  readonly auth: { readonly user: string; readonly pass?: string; readonly accessToken?: string };
  readonly network: RemoteNetwork;
}

/** A connection that is opened on first use and reopened after it was lost. */
export interface ImapClient {
  use<T>(signal: AbortSignal, work: (client: ImapFlow) => Promise<T>): Promise<T>;
  /** Runs `work` with the folder opened read-only. Throws `not_found` if it cannot be opened. */
  inFolder<T>(
    folder: string,
    signal: AbortSignal,
    work: (client: ImapFlow, mailbox: MailboxObject) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

const TLS_PORT = 993;
const PORTS = [143, TLS_PORT];
const CONNECT_MS = 30_000;
const SILENCE_MS = 120_000;
/** Maximum size of a message, in bytes. */
const MAX_LITERAL = 256 * 1024 * 1024;
const MAX_LINE = 64 * 1024 * 1024;

export function createImapClient({ host, port = TLS_PORT, tls, auth, network }: ImapAccount): ImapClient {
  let opening: Promise<ImapFlow> | undefined;

  async function open(): Promise<ImapFlow> {
    const address = await network.addressOf(host, port, PORTS);
    const { ImapFlow } = await import('imapflow');
    const secure = port === TLS_PORT || tls === true;
    const client = new ImapFlow({
      host: address,
      port,
      secure,
      auth,
      logger: false,
      disableAutoIdle: true,
      ...(isIP(host.replace(/^\[|\]$/g, '')) === 0 && { servername: host }),
      // Require STARTTLS, so that credentials are never sent in plain text.
      ...(!secure && { doSTARTTLS: true }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      maxLiteralSize: MAX_LITERAL,
      maxResponseSize: 2 * MAX_LITERAL,
      maxLineLength: MAX_LINE,
      clientInfo: { name: 'Citewell' },
    });
    // Connection errors reject the running command; without a listener the event would be thrown.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async function connected(): Promise<ImapFlow> {
    const before = await opening?.catch(() => undefined);
    if (before?.usable !== true) opening = undefined;
    opening ??= open();
    return opening;
  }

  async function use<T>(signal: AbortSignal, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    // Aborting closes the connection immediately; the next use reconnects.
    const end = () => void opening?.then((client) => client.close()).catch(() => undefined);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await work(await connected());
    } catch (error) {
      signal.throwIfAborted();
      throw asMailFailure(error, host);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  return {
    use,
    inFolder: (folder, signal, work) =>
      use(signal, async (client) => {
        const lock = await client.getMailboxLock(folder, { readOnly: true }).catch((error: unknown) => {
          if (!client.usable) throw error;
          throw new ServiceError('not_found', `The folder ${folder} cannot be opened.`, { cause: error });
        });
        try {
          if (client.mailbox === false) throw new ServiceError('provider_failed', `The folder ${folder} was closed.`);
          return await work(client, client.mailbox);
        } finally {
          lock.release();
        }
      }),
    async close() {
      const client = await opening?.catch(() => undefined);
      opening = undefined;
      if (client?.usable === true) await client.logout().catch(() => undefined);
      client?.close();
    },
  };
}
