import ipaddr from 'ipaddr.js';

/** Contains all public IPv6 addresses assigned by IANA; addresses outside are reserved or translate IPv4. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address (without brackets) is public. Uses an allow list: private and shared ranges, loopback,
 * link-local (with the metadata services), multicast, documentation, and IPv6 forms that embed an IPv4 address (mapped,
 * 6to4, Teredo, NAT64), which a translator could route to the internal network, are all rejected.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : true;
}
