import type { AccessConfig } from '../config.ts';
import { count } from './progress-line.ts';

/** Who is let in over HTTP, for people; no key is shown. */
export function describeAccess({ keys, oauth }: AccessConfig): string {
  const ways = [
    ...(keys.length === 0 ? [] : [`${count(keys.length)} ${keys.length === 1 ? 'key' : 'keys'} of CITEWELL_API_KEYS`]),
    ...(oauth === undefined ? [] : [`access tokens of ${oauth.issuer}`]),
  ];
  return ways.length === 0 ? 'whoever reaches it (CITEWELL_API_KEYS changes that)' : ways.join(', ');
}
