import { isIP } from 'node:net';
import { ServiceError } from '../errors.ts';
import { percentDecoded, splitList } from '../shared/text.ts';
import { hostOf, isLocalName, portOf } from './address-rules.ts';
import { matchesHost, readOpenHost } from './open-hosts.ts';

/** Values of the usual environment variables, not yet parsed. */
export interface ProxySettings {
  /** `HTTP_PROXY` and `HTTPS_PROXY`: proxies for pages of these schemes. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** `NO_PROXY`: hosts, domains and networks reached directly. */
  readonly except?: string | undefined;
  /** The proxy resolves host names and must itself block requests to internal addresses. */
  readonly resolvesNames: boolean;
}

/** An address such as `http://user:password@proxy.example:3128`. */
export type ProxyAddress = URL;

export const noProxy: ProxySettings = { resolvesNames: false };

/** The proxy for a URL; undefined if it is reached directly, as this machine always is. Throws `not_configured`. */
export function proxyFor(url: URL, settings: ProxySettings): ProxyAddress | undefined {
  const isSecure = url.protocol === 'https:';
  const written = isSecure ? settings.https : settings.http;
  if (!written || isExcepted(url, settings.except ?? '')) return undefined;
  const proxy = readProxy(written);
  if (proxy !== undefined) return proxy;
  const name = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  throw new ServiceError(
    'not_configured',
    `${name} is not an http or https address such as http://proxy.example.org:3128, so ${url.host} is not reached. Correct it, or add the host to NO_PROXY.`,
  );
}

/** The host of a proxy, for display; without user name and password. */
export const proxyHost = ({ http, https }: ProxySettings): string =>
  readProxy(https || http || '')?.host ?? 'that cannot be used, as it is not an http or https address';

/** Accepts addresses without a scheme, as many programs do. Undefined if invalid. */
function readProxy(written: string): ProxyAddress | undefined {
  const url = URL.parse(written.includes('://') ? written : `http://${written}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

/** Whether the request is sent to the proxy instead of tunnelled: many proxies allow tunnels to port 443 only. */
export const isForwarded = ({ protocol }: URL, { resolvesNames }: ProxySettings): boolean =>
  resolvesNames && protocol === 'http:';

/** The `Proxy-Authorization` header; empty without a user name. */
export function credentialsOf({ username, password }: ProxyAddress): Record<string, string> {
  if (username === '') return {};
  // Passwords may contain percent signs that encode nothing.
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

export const isLoopback = (address: string): boolean =>
  matchesHost({ kind: 'network', network: '127.0.0.0', prefix: 8, port: undefined }, address) || address === '::1';

function isExcepted(url: URL, except: string): boolean {
  const host = hostOf(url);
  const port = portOf(url);
  if (isLocalName(host) || isLoopback(host)) return true;
  return splitList(except).some((written) => {
    if (written === '*') return true;
    const name = isIP(written) === 6 ? `[${written}]` : written.replace(/^\*?\./, '');
    const entry = readOpenHost(name);
    if (entry === undefined || (entry.port !== undefined && entry.port !== port)) return false;
    // A name also matches its subdomains.
    return matchesHost(entry, host) || (entry.kind === 'name' && isIP(host) === 0 && host.endsWith(`.${entry.name}`));
  });
}
