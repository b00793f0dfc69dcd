import ipaddr from 'ipaddr.js';

/** All addresses that IANA gives out for the public internet; what lies outside is reserved or translates IPv4. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address, written without brackets, belongs to the public internet. Anything else is refused rather than
 * listed: private and shared ranges, loopback, link-local with the metadata services, multicast, documentation, and the
 * forms of IPv6 that carry an IPv4 address (mapped, 6to4, Teredo, NAT64), which a translator could turn inwards.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : true;
}
