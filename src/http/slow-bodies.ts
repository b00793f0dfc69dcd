import type { IncomingMessage, Server } from 'node:http';

/** Minimum average bytes per second of a body after the initial time; allows large uploads over slow connections. */
const MIN_BYTES_PER_SECOND = 50_000;
/** Milliseconds between checks of incoming requests. */
const CHECK_INTERVAL = 500;

interface IncomingBody {
  readonly request: IncomingMessage;
  readonly since: number;
  /** Bytes received on the connection before this request. */
  readonly bytesBefore: number;
}

/**
 * Closes connections whose request body arrives too slowly (slowloris): each body gets `timeoutMs` milliseconds plus
 * one second for every 50 kB received.
 */
export function cutOffSlowBodies(server: Server, timeoutMs: number): { close(): void } {
  const arriving = new Set<IncomingBody>();
  server.on('request', (request) => {
    if (request.complete) return;
    const entry = { request, since: performance.now(), bytesBefore: request.socket.bytesRead };
    arriving.add(entry);
    const forget = () => arriving.delete(entry);
    request.once('end', forget);
    request.once('close', forget);
  });
  const check = setInterval(
    () => {
      for (const entry of arriving) {
        const { request, since, bytesBefore } = entry;
        // The body has arrived completely, even if it has not been read yet.
        if (request.complete) {
          arriving.delete(entry);
          continue;
        }
        const bytes = request.socket.bytesRead - bytesBefore;
        const allowed = timeoutMs + (bytes / MIN_BYTES_PER_SECOND) * 1000;
        if (performance.now() - since <= allowed) continue;
        request.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        request.destroy();
      }
    },
    Math.min(CHECK_INTERVAL, timeoutMs),
  ).unref();
  return { close: () => clearInterval(check) };
}
