import { isLoopback } from '../access/confidential-address.ts';
import { discoverIssuer } from '../access/discover-issuer.ts';
import type { Config } from '../config.ts';
import { describeAccess } from './describe-access.ts';
import type { Finding } from './doctor-checks.ts';

/** Who may call `citewell serve`, and whether the token issuer publishes its keys. */
export async function checkAccess({ access, host }: Pick<Config, 'access' | 'host'>): Promise<Finding> {
  const name = 'Access';
  const detail = describeAccess(access);
  if (access.oauth !== undefined) {
    try {
      await discoverIssuer(access.oauth.issuer);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { name, state: 'wrong', detail: `${detail}. ${why}`, fix: 'Correct CITEWELL_OAUTH_ISSUER, or start it.' };
    }
  }
  if (access.admins.knowsTestPassword) {
    const fix = 'Remove CITEWELL_R2R_TEST_ADMIN, except for tests.';
    return { name, state: 'warning', detail: `${detail}; an administrator with a publicly known password`, fix };
  }
  if (access.mode === 'required' && access.accounts.registration === 'open' && !isLoopback(host)) {
    const fix = 'Set CITEWELL_REGISTRATION=closed, unless anyone who can reach the server may register.';
    return { name, state: 'warning', detail: `${detail}, at ${host}`, fix };
  }
  return { name, state: 'ok', detail };
}
