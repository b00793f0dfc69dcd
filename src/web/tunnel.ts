import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { ServiceError } from '../errors.ts';
import { credentialsOf, type ProxyAddress } from './proxy.ts';

export interface TunnelTarget {
  /** IP address, or host name if the proxy resolves names. */
  readonly to: string;
  readonly port: number;
  /** The requested host, for error messages. */
  readonly host: string;
}

/** Opens a connection through a proxy (`CONNECT`). Throws `provider_failed`, with the status if the proxy refuses. */
export function openTunnel(proxy: ProxyAddress, { to, port, host }: TunnelTarget, timeoutMs: number): Promise<Socket> {
  const authority = `${isIP(to) === 6 ? `[${to}]` : to}:${port}`;
  const late = AbortSignal.timeout(timeoutMs);
  const request = proxy.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: Error) =>
      reject(
        new ServiceError('provider_failed', `${host} was not reached through the proxy ${proxy.host}: ${why}`, {
          cause,
        }),
      );
    const connecting = request({
      hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : proxy.port,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...credentialsOf(proxy) },
      agent: false,
      signal: late,
    });
    connecting.once('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
      if (statusCode >= 200 && statusCode <= 299) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      fail(refusal(statusCode));
    });
    connecting.once('response', ({ statusCode = 0 }: IncomingMessage) => {
      connecting.destroy();
      fail(refusal(statusCode));
    });
    connecting.on('error', (error: NodeJS.ErrnoException) =>
      fail(late.aborted ? 'it does not answer.' : `it cannot be connected to (${error.code ?? error.message}).`, error),
    );
    connecting.end();
  });
}

const refusal = (status: number): string =>
  status === 407
    ? 'it asks for a user name and a password, which belong in its address (status 407).'
    : `it refused the connection (status ${status}). It is given addresses that were checked before; if it takes names only, and itself keeps requests from internal addresses, set CITEWELL_PROXY_RESOLVES=true.`;
