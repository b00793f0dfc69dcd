import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Number of connections so far, including failed ones. */
  readonly connections: () => number;
  /** Requests so far, as `METHOD path`. */
  readonly requests: string[];
}

/** A loopback server for the duration of the running test. */
export async function serve(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<TestServer> {
  let connections = 0;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const bound = (server.address() as AddressInfo).port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${bound}`, port: bound, connections: () => connections, requests };
}
