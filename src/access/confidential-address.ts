import { isIP } from 'node:net';

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1';
}

/** True if traffic to the address cannot be read or changed on the way: https, or this machine itself. */
export function isConfidential(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
}
