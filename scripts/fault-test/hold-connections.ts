import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface HeldConnections {
  /** Number of connections the server answered. */
  readonly connected: number;
  close(): Promise<void>;
}

const ANSWERED_WITHIN_MS = 20_000;
const BATCH_SIZE = 200;

/** Opens connections, requests the health endpoint on each, and holds open those that were answered. */
export async function holdConnections(url: string, count: number): Promise<HeldConnections> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  let connected = 0;
  const hold = async () => {
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    socket.write(`GET /v3/health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    const [first] = await once(socket, 'data').catch(() => ['']);
    if (String(first).startsWith('HTTP/1.1 200')) connected++;
  };
  for (let left = count; left > 0; left -= BATCH_SIZE) {
    const some = Array.from({ length: Math.min(BATCH_SIZE, left) }, hold);
    // Once the server has no free file descriptor, further connections are never answered.
    const isOver = new AbortController();
    await Promise.race([
      Promise.all(some),
      sleep(ANSWERED_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined),
    ]);
    isOver.abort();
  }
  return {
    connected,
    async close() {
      await Promise.all(
        sockets.map(async (socket) => {
          if (socket.closed) return;
          const closed = once(socket, 'close');
          socket.destroy();
          await closed;
        }),
      );
    },
  };
}
