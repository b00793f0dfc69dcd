import type { AccessConfig } from '../access/access-settings.ts';
import { counted } from './progress-line.ts';

/** Describes who may call over HTTP; shows no keys. */
export function describeAccess({ mode, keys, oauth, accounts }: AccessConfig): string {
  if (mode === 'off') return 'no authentication, this machine only (change with CITEWELL_AUTH=required)';
  const registration =
    accounts.registration === 'open' ? ', anyone may register (change with CITEWELL_REGISTRATION=closed)' : '';
  const ways = [
    ...(keys.length === 0 ? [] : [`${counted(keys.length, 'key')} of CITEWELL_API_KEYS`]),
    ...(oauth === undefined ? [] : [`access tokens of ${oauth.issuer}`]),
  ];
  return [...ways, `its users${registration}`].join(', ');
}
