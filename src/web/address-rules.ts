import { isIP } from 'node:net';
import { ServiceError } from '../errors.ts';
import { isRefusedMetadata } from './metadata-services.ts';
import { matchesHost, type OpenHost } from './open-hosts.ts';
import { isPublicAddress } from './public-address.ts';

/** Which addresses may be fetched; checked before each connection (SSRF protection). */
export interface AddressRules {
  /** Allowed ports of public hosts. */
  readonly ports: ReadonlySet<number>;
  readonly open: readonly OpenHost[];
  /** Allows all addresses, including this machine and its network, except metadata services. Only if requested. */
  readonly allowPrivate: boolean;
}

export const publicOnly: AddressRules = { ports: new Set([80, 443]), open: [], allowPrivate: false };

const MAX_ADDRESS_LENGTH = 8_000;

/** Parses an http or https URL. Throws `invalid_request` for anything else, and for a URL with credentials. */
export function readAddress(address: string, base?: URL): URL {
  const url = address.length > MAX_ADDRESS_LENGTH ? null : URL.parse(address.trim(), base?.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    const shown = address.replaceAll(/\/\/[^/]*@/g, '//').slice(0, 200);
    throw new ServiceError('invalid_request', `"${shown}" is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('invalid_request', `The address at ${url.host} carries a user name or password.`);
  }
  url.hash = '';
  return url;
}

/**
 * Checks what the URL itself shows: its port, and its host if that is an IP address. Throws `forbidden`. `URL` has
 * already normalised the host; host names are checked after their lookup.
 */
export function checkAddress(url: URL, rules: AddressRules): void {
  const host = hostOf(url);
  const port = portOf(url);
  if (isRefusedMetadata(host, rules.open)) throw refusedMetadata(host);
  if (rules.allowPrivate) return;
  if (isOpenName(host, port, rules)) return;
  if (isIP(host) !== 0) checkResolved(host, host, port, rules);
  if (isLocalName(host)) throw refusedAddress(host, port);
  if (!rules.ports.has(port) && !rules.open.some((open) => open.kind === 'network' && open.port === port)) {
    throw new ServiceError(
      'forbidden',
      `Port ${port} of ${host} is not fetched; only ${[...rules.ports].join(' and ')} are. An operator can open it with CITEWELL_ALLOW_HOSTS=${host}:${port}.`,
    );
  }
}

/** Throws `forbidden` unless the rules allow a connection to this address, which the host resolved to. */
export function checkResolved(address: string, host: string, port: number, rules: AddressRules): void {
  if (isRefusedMetadata(address, rules.open) && !opensMetadataName(host, rules)) throw refusedMetadata(host);
  if (rules.allowPrivate || isOpenName(host, port, rules)) return;
  const isOpened = rules.open.some((open) => matchesHost(open, address) && opensPort(open, port, rules));
  if (!isOpened && (!isPublicAddress(address) || !rules.ports.has(port))) throw refusedAddress(host, port);
}

const isOpenName = (host: string, port: number, rules: AddressRules): boolean =>
  rules.open.some((open) => open.kind !== 'network' && matchesHost(open, host) && opensPort(open, port, rules));

/** Whether the host is the name of a metadata service that the operator allowed explicitly. */
const opensMetadataName = (host: string, rules: AddressRules): boolean =>
  isIP(host) === 0 && isRefusedMetadata(host, []) && !isRefusedMetadata(host, rules.open);

const opensPort = (open: OpenHost, port: number, { ports }: AddressRules): boolean =>
  open.port === undefined ? ports.has(port) : open.port === port;

/** The host without IPv6 brackets and without a trailing dot. */
export const hostOf = ({ hostname }: { readonly hostname: string }): string =>
  hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const portOf = ({ port, protocol }: { readonly port: string; readonly protocol: string }): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

/** Names that always mean this machine (RFC 6761). */
export const isLocalName = (host: string): boolean => /(?:^|\.)localhost$/.test(host);

// The message contains the host but not the resolved address, which would reveal the internal network to the caller.
function refusedAddress(host: string, port: number): ServiceError {
  const named = isIP(host) === 6 ? `[${host}]` : host;
  const entry = port === 80 || port === 443 ? named : `${named}:${port}`;
  return new ServiceError(
    'forbidden',
    `${host} is not an address of the public internet; it is not fetched. An operator can open it with CITEWELL_ALLOW_HOSTS=${entry}.`,
  );
}

const refusedMetadata = (host: string): ServiceError =>
  new ServiceError(
    'forbidden',
    `${host} leads to the metadata service of a cloud, which gives out credentials; it is not fetched. It stays closed unless CITEWELL_ALLOW_HOSTS names that very address.`,
  );
