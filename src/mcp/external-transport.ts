import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.ts';
import type { ExternalServer } from './external-servers.ts';

/** Milliseconds for a process to exit before it is signalled. */
const EXIT_TIMEOUT_MS = 500;

export interface ExternalTransport {
  readonly transport: Transport;
  end(client: Client): Promise<void>;
}

/** Creates the transport to a server; `onTooMuch` is called when a message exceeds `maxBytes`. */
export async function transportTo(
  { transport: way }: ExternalServer,
  maxBytes: number,
  onTooMuch: () => void,
): Promise<ExternalTransport> {
  if (way.kind === 'http') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(way.url, {
      requestInit: { headers: { ...way.headers } },
      fetch: boundedFetch(maxBytes, onTooMuch),
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 30_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 2,
      },
    });
    return {
      transport,
      async end(client) {
        await Promise.race([transport.terminateSession(), sleep(EXIT_TIMEOUT_MS, undefined, { ref: false })]).catch(
          () => {},
        );
        await client.close().catch(() => {});
      },
    };
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const { command, args, env, cwd } = way;
  let isEnded = false;
  // If the attempt is cancelled while the process is starting, the process is killed as soon as it exists. A custom
  // transport class also makes the SDK probe the protocol on this process instead of a second one we could not kill.
  class KillableTransport extends StdioClientTransport {
    override async start(): Promise<void> {
      await super.start();
      if (isEnded) kill(this.pid, 'SIGKILL');
    }
  }
  const transport = new KillableTransport({
    command,
    args: [...args],
    env: { ...env },
    maxBufferSize: maxBytes,
    stderr: 'ignore',
    ...(cwd === undefined ? {} : { cwd }),
  });
  return {
    transport,
    async end(client) {
      isEnded = true;
      const { pid } = transport;
      const timers = [
        setTimeout(() => kill(pid, 'SIGTERM'), EXIT_TIMEOUT_MS),
        setTimeout(() => kill(pid, 'SIGKILL'), 2 * EXIT_TIMEOUT_MS),
      ];
      await client.close().catch(() => {});
      // During protocol negotiation the client does not own its transport yet.
      await transport.close().catch(() => {});
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function kill(pid: number | null, signal: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, signal);
  } catch {
    // Already exited.
  }
}
