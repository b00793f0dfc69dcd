import ipaddr from 'ipaddr.js';
import { matchesHost, type OpenHost } from './open-hosts.ts';

/**
 * Addresses of cloud metadata services, which hand out a machine's credentials. Includes all of link-local IPv4, where
 * most of them are; some others are in private ranges that operators may open, and one is a public address.
 */
const NETWORKS = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/64',
  'fd20:ce::/64',
  'fd00:42::42/128',
  'fd00:c1::a9fe:a9fe/128',
  'fe80::a9fe:a9fe/128',
].map((network) => ipaddr.parseCIDR(network));

const NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'api.metadata.cloud.ibm.com',
]);

/** IPv6 networks whose addresses embed an IPv4 address in the last 32 bits, to which a translator may connect. */
const TRANSLATED = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map((network) =>
  ipaddr.parseCIDR(network),
);
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/** Whether the address, or the name before its lookup, belongs to a metadata service that no entry names exactly. */
export function isRefusedMetadata(host: string, open: readonly OpenHost[]): boolean {
  if (!ipaddr.isValid(host)) return NAMES.has(host) && !open.some((entry) => namesExactly(entry, host));
  const isMetadata = formsOf(ipaddr.process(host)).some((form) => NETWORKS.some((network) => matches(form, network)));
  return isMetadata && !open.some((entry) => namesExactly(entry, host));
}

/** Only an entry for the exact name or address allows a metadata service, not a network that happens to contain it. */
const namesExactly = (entry: OpenHost, host: string): boolean =>
  (entry.kind === 'name' || (entry.kind === 'network' && entry.prefix === (entry.network.includes(':') ? 128 : 32))) &&
  matchesHost(entry, host);

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const matches = (address: Address, network: readonly [Address, number]): boolean =>
  address.kind() === network[0].kind() && address.match(network as [ipaddr.IPv4, number] & [ipaddr.IPv6, number]);

/** The address and, if it embeds one, the IPv4 address. */
function formsOf(address: Address): Address[] {
  const bytes = address.toByteArray();
  if (address.kind() === 'ipv4') return [address];
  if (matches(address, SIX_TO_FOUR)) return [address, ipaddr.fromByteArray(bytes.slice(2, 6))];
  return TRANSLATED.some((network) => matches(address, network))
    ? [address, ipaddr.fromByteArray(bytes.slice(12))]
    : [address];
}
