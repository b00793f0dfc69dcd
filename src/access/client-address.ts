import ipaddr from 'ipaddr.js';

/** Prefix length usually assigned to one IPv6 subscriber. */
const SUBSCRIBER_BITS = 64;

/**
 * Key under which attempts of an address are counted: an IPv4 address itself; for IPv6 the /64 network, since one
 * client controls all of its addresses.
 */
export function rateLimitAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().split('%')[0]}/${SUBSCRIBER_BITS}`);
  return `${network.toString()}/${SUBSCRIBER_BITS}`;
}

const NAMED_NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Whether Express's `trust proxy` accepts the entry: an address, a CIDR network or a named range. */
export const isProxyNetwork = (entry: string): boolean =>
  NAMED_NETWORKS.has(entry) ||
  (entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry) && /[.:]/.test(entry));
