import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A host or network that the operator allows although it is not public or uses a non-standard port. */
export type OpenHost = { readonly port: number | undefined } & (
  | { readonly kind: 'name'; readonly name: string }
  /** All subdomains, written as `*.intern`. */
  | { readonly kind: 'below'; readonly suffix: string }
  | { readonly kind: 'network'; readonly network: string; readonly prefix: number }
);

const NAME = /^(\*\.)?([a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*)(?::(\d{1,5}))?$/;
const NETWORK = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/;

/**
 * Parses an entry such as `wiki.intern`, `*.intern`, `10.0.0.0/8` or `[fd00::]/8`, each with an optional `:port`.
 * Undefined if invalid. Without a port, the default ports are allowed.
 */
export function readOpenHost(entry: string): OpenHost | undefined {
  const text = entry.trim().toLowerCase();
  const [, v6, v4, bits, networkPort] = NETWORK.exec(text) ?? [];
  const network = v6 ?? v4;
  if (network !== undefined) {
    const family = isIP(network);
    const longest = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? longest : Number(bits);
    const port = readPort(networkPort);
    return family === 0 || prefix > longest || port === null ? undefined : { kind: 'network', network, prefix, port };
  }
  const [, wildcard, name, namePort] = NAME.exec(text) ?? [];
  const port = readPort(namePort);
  if (name === undefined || port === null) return undefined;
  return wildcard === undefined ? { kind: 'name', name, port } : { kind: 'below', suffix: `.${name}`, port };
}

/** Null if invalid. */
function readPort(digits: string | undefined): number | undefined | null {
  if (digits === undefined) return undefined;
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? port : null;
}

/** Whether the entry includes this host name or address, on any port. */
export function matchesHost(open: OpenHost, host: string): boolean {
  switch (open.kind) {
    case 'name':
      return host === open.name;
    case 'below':
      return isIP(host) === 0 && host.endsWith(open.suffix);
    case 'network':
      return isIP(host) !== 0 && isWithin(host, open.network, open.prefix);
  }
}

function isWithin(address: string, network: string, prefix: number): boolean {
  // An IPv4-mapped IPv6 address is compared as IPv4.
  const own = ipaddr.process(address);
  const other = ipaddr.parse(network);
  return own.kind() === other.kind() && own.match([other, prefix] as Parameters<typeof own.match>[0]);
}
