import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that one subscriber usually has to themselves. */
const SUBSCRIBER_BITS = 64;

/**
 * The name under which attempts from an address are counted: an IPv4 address itself, of an IPv6 address its /64
 * network, since one guesser has all addresses of that.
 */
export function rateLimitAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().split('%')[0]}/${SUBSCRIBER_BITS}`);
  return `${network.toString()}/${SUBSCRIBER_BITS}`;
}

const NAMED_NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Whether Express's `trust proxy` takes it: an address, a network such as 10.0.0.0/8, or one of its names. */
export const isProxyNetwork = (entry: string): boolean =>
  NAMED_NETWORKS.has(entry) ||
  (entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry) && /[.:]/.test(entry));
