import type { AccountSettings } from './accounts.ts';
import { isLoopback } from './confidential-address.ts';
import { type AdminOptions, TEST_PASSWORD } from './ensure-admins.ts';
import type { QuotaSizes } from './quotas.ts';
import type { RequestRates } from './request-limits.ts';

/** HTTP access settings: authentication, accounts, rate limits and quotas. */
export interface AccessConfig {
  /** `off`: requests without credentials act as the default admin. */
  readonly mode: 'off' | 'required';
  /** API keys; each authenticates as the default admin. */
  readonly keys: readonly string[];
  readonly oauth?: {
    readonly issuer: string;
    /** Expected audience of access tokens; undefined means the URL of this server's `/mcp`. */
    readonly audience?: string;
  };
  /** The secret with which LibreChat signs its tokens. */
  readonly libreChatSecret?: string | undefined;
  readonly accounts: AccountSettings;
  readonly admins: AdminOptions;
}

/** The environment variables read here, each validated on its own. */
export interface AccessVariables {
  readonly CITEWELL_HOST: string;
  readonly CITEWELL_AUTH?: 'off' | 'required' | undefined;
  readonly CITEWELL_API_KEYS?: readonly string[] | undefined;
  readonly CITEWELL_OAUTH_ISSUER?: string | undefined;
  readonly CITEWELL_OAUTH_AUDIENCE?: string | undefined;
  readonly CITEWELL_LIBRECHAT_SECRET?: string | undefined;
  readonly CITEWELL_REGISTRATION?: 'open' | 'closed' | undefined;
  readonly CITEWELL_REQUIRE_VERIFIED: boolean;
  readonly CITEWELL_JWT_SECRET?: string | undefined;
  readonly CITEWELL_ACCESS_MINUTES: number;
  readonly CITEWELL_REFRESH_DAYS: number;
  readonly CITEWELL_ADMIN_EMAIL?: string | undefined;
  readonly CITEWELL_ADMIN_PASSWORD?: string | undefined;
  readonly CITEWELL_R2R_TEST_ADMIN: boolean;
  readonly CITEWELL_RATE_LIMITS?: RequestRates | undefined;
  readonly CITEWELL_QUOTAS?: QuotaSizes | undefined;
}

/** R2R's defaults, used when the server listens on a non-local address. */
const SHARED_RATES: RequestRates = { globalPerMinute: 60, routePerMinute: 20, monthly: 10_000 };
const SHARED_QUOTAS: QuotaSizes = { documents: 10_000, chunks: 10_000_000, collections: 5_000 };

export function accessConfig(value: AccessVariables): AccessConfig {
  const { CITEWELL_OAUTH_ISSUER: issuer, CITEWELL_OAUTH_AUDIENCE: audience } = value;
  const { CITEWELL_ADMIN_EMAIL: email, CITEWELL_ADMIN_PASSWORD: password } = value;
  const mode = modeOf(value);
  const isShared = mode === 'required';
  return {
    mode,
    keys: value.CITEWELL_API_KEYS ?? [],
    ...(issuer !== undefined && { oauth: { issuer, ...(audience !== undefined && { audience }) } }),
    libreChatSecret: value.CITEWELL_LIBRECHAT_SECRET,
    accounts: {
      // Configured keys or an issuer mean that access is restricted, so open registration would defeat them.
      registration: value.CITEWELL_REGISTRATION ?? (isShared && value.CITEWELL_AUTH === undefined ? 'closed' : 'open'),
      requiresVerified: value.CITEWELL_REQUIRE_VERIFIED,
      tokenSecret: value.CITEWELL_JWT_SECRET,
      accessMinutes: value.CITEWELL_ACCESS_MINUTES,
      refreshDays: value.CITEWELL_REFRESH_DAYS,
      rates: value.CITEWELL_RATE_LIMITS ?? (isShared ? SHARED_RATES : {}),
      // R2R's test suites register users with passwords such as "pwd".
      ...(value.CITEWELL_R2R_TEST_ADMIN && { minPasswordLength: 1 }),
      quotas: value.CITEWELL_QUOTAS ?? (isShared ? SHARED_QUOTAS : {}),
    },
    admins: {
      ...(email !== undefined && password !== undefined && { first: { email, password } }),
      knowsTestPassword: value.CITEWELL_R2R_TEST_ADMIN,
    },
  };
}

const modeOf = (value: AccessVariables): AccessConfig['mode'] =>
  value.CITEWELL_AUTH ?? (hasAuthentication(value) ? 'required' : 'off');

const hasAuthentication = ({ CITEWELL_API_KEYS: keys, CITEWELL_OAUTH_ISSUER: issuer }: AccessVariables): boolean =>
  keys !== undefined || issuer !== undefined;

/** Wildcard addresses, which can be listened on but not connected to. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Contradictions between variables, each with a message that states the reason and the remedy. */
export function accessIssues(value: AccessVariables): (readonly [variable: string, message: string])[] {
  const { CITEWELL_HOST: host, CITEWELL_OAUTH_ISSUER: issuer } = value;
  const issues: (readonly [string, string])[] = [];
  if (issuer !== undefined && value.CITEWELL_OAUTH_AUDIENCE === undefined && ANY_ADDRESS.has(host)) {
    const why = `"${host}" cannot be used as the audience of access tokens. Set it to the URL at which clients reach /mcp, such as https://kb.example.org/mcp`;
    issues.push(['CITEWELL_OAUTH_AUDIENCE', why]);
  }
  if (value.CITEWELL_AUTH === 'off' && hasAuthentication(value)) {
    const why =
      'it is off, but CITEWELL_API_KEYS or CITEWELL_OAUTH_ISSUER is set, which would have no effect. Remove one of them';
    issues.push(['CITEWELL_AUTH', why]);
  } else if (modeOf(value) === 'off' && !isLoopback(host)) {
    const why =
      `"${host}" can be reached by other machines, and authentication is off: anyone who reaches it can read, ` +
      'add and delete documents. Set CITEWELL_AUTH=required and make an admin (citewell users create-admin), set ' +
      'CITEWELL_API_KEYS or CITEWELL_OAUTH_ISSUER, which imply it, or use 127.0.0.1';
    issues.push(['CITEWELL_HOST', why]);
  }
  if (value.CITEWELL_R2R_TEST_ADMIN && !isLoopback(host)) {
    const why = `it gives a superuser a publicly known password, and "${host}" can be reached by other machines. Use 127.0.0.1 for tests`;
    issues.push(['CITEWELL_R2R_TEST_ADMIN', why]);
  }
  const [email, password] = [value.CITEWELL_ADMIN_EMAIL, value.CITEWELL_ADMIN_PASSWORD];
  if (email !== undefined && password === undefined) {
    issues.push(['CITEWELL_ADMIN_PASSWORD', 'is needed with CITEWELL_ADMIN_EMAIL']);
  }
  if (password === TEST_PASSWORD) {
    const why =
      'is publicly known from R2R. Choose another; for tests on this machine set CITEWELL_R2R_TEST_ADMIN=true instead';
    issues.push(['CITEWELL_ADMIN_PASSWORD', why]);
  }
  if (email === undefined && password !== undefined) {
    issues.push(['CITEWELL_ADMIN_EMAIL', 'is needed with CITEWELL_ADMIN_PASSWORD']);
  }
  return issues;
}
