import { isLoopback } from '../access/confidential-address.ts';
import { discoverIssuer } from '../access/discover-issuer.ts';
import type { Config } from '../config.ts';
import { describeAccess } from './describe-access.ts';
import type { Finding } from './doctor-checks.ts';

/** Who `citewell serve` lets in, and whether the issuer of access tokens says where its keys are. */
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
  const isGuarded = access.keys.length > 0 || access.oauth !== undefined;
  if (isGuarded || isLoopback(host)) return { name, state: 'ok', detail };
  const fix = 'Set CITEWELL_API_KEYS, unless something in front of it asks who comes.';
  return { name, state: 'warning', detail: `${detail}, at ${host}`, fix };
}
