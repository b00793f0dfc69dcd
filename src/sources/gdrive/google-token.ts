import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import type { RemoteNetwork } from '../connector.ts';
import { readBytes, refusal } from '../http-answers.ts';

export type GoogleAccount =
  /** `user`: the account to impersonate by domain-wide delegation; undefined for none. */
  | { readonly kind: 'service_account'; readonly key: string; readonly user: string | undefined }
  | {
      readonly kind: 'client';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
    };

export interface GoogleTokens {
  /** The service account's e-mail address, with which folders must be shared; undefined if it acts for a user. */
  readonly sharedWith: string | undefined;
  /** A valid access token, cached until shortly before it expires. Throws `unauthenticated`. */
  current(signal: AbortSignal): Promise<string>;
  /** Discards the cached token after it was rejected. */
  forget(): void;
}

/** Fixed: a `token_uri` in the key file is ignored, so that the signed assertion is sent to Google only. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';
const MAX_ANSWER = 100_000;
/** Seconds before its expiry at which a token is renewed. */
const MARGIN_S = 120;

const keySchema = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3),
  private_key: z.string().includes('PRIVATE KEY'),
  private_key_id: z.string().optional(),
});
const tokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.number().default(3600) });
const errorSchema = z.object({ error: z.string() });

export function createGoogleTokens(account: GoogleAccount, network: RemoteNetwork): GoogleTokens {
  const key = account.kind === 'service_account' ? readKey(account.key) : undefined;
  let token: { readonly value: string; readonly until: number } | undefined;

  async function parametersOf(): Promise<Record<string, string>> {
    if (account.kind === 'client') {
      const { clientId, clientSecret, refreshToken } = account;
      return {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: clientId,
        client_secret: clientSecret,
      };
    }
    return {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await assertionOf(key ?? readKey(account.key), account.user),
    };
  }

  async function open(signal: AbortSignal): Promise<string> {
    const response = await network.fetch(TOKEN_URL, {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(await parametersOf()).toString(),
    });
    const { status } = response;
    if (status === 429 || status >= 500) throw await refusal(response, 'Google’s token service', { whole: true });
    const answer = jsonOrUndefined(new TextDecoder().decode(await readBytes(response, MAX_ANSWER)));
    const granted = response.ok ? tokenSchema.safeParse(answer).data : undefined;
    if (granted === undefined) {
      const code = errorSchema.safeParse(answer).data?.error ?? `status ${status}`;
      throw new ServiceError('unauthenticated', `Google gives no access: ${reasonOf(code, account)}`);
    }
    token = { value: granted.access_token, until: Date.now() + (granted.expires_in - MARGIN_S) * 1000 };
    return granted.access_token;
  }

  return {
    sharedWith: account.kind === 'service_account' && account.user === undefined ? key?.client_email : undefined,
    async current(signal) {
      return token !== undefined && Date.now() < token.until ? token.value : open(signal);
    },
    forget() {
      token = undefined;
    },
  };
}

type ServiceAccountKey = z.output<typeof keySchema>;

function readKey(written: string): ServiceAccountKey {
  const parsed = keySchema.safeParse(jsonOrUndefined(written));
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    'unauthenticated',
    'service_account_key: expected the whole content of the JSON file that Google made for a service account.',
  );
}

async function assertionOf(key: ServiceAccountKey, user: string | undefined): Promise<string> {
  const { client_email: email, private_key: written, private_key_id: id } = key;
  const signing = await importPKCS8(written, 'RS256').catch((cause: unknown) => {
    throw new ServiceError('unauthenticated', 'service_account_key: its private key is damaged.', { cause });
  });
  const claims = new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(id !== undefined && { kid: id }) })
    .setIssuer(email)
    .setAudience(TOKEN_URL)
    .setIssuedAt()
    .setExpirationTime('1h');
  return (user === undefined ? claims : claims.setSubject(user)).sign(signing);
}

function reasonOf(code: string, account: GoogleAccount): string {
  switch (code) {
    case 'invalid_grant':
      return account.kind === 'client'
        ? 'the refresh token has expired or was revoked. Get a new one; those of apps in testing last seven days.'
        : 'the key is deleted or not valid, the user does not exist, or the clock of this machine is wrong.';
    case 'unauthorized_client':
      return 'the account may not act for this user, or not with the scope drive.readonly. Check the delegation.';
    case 'invalid_client':
      return 'the id or the secret of the OAuth client is wrong.';
    default:
      return /^[\w ]{1,60}$/.test(code) ? `${code}.` : 'it was refused.';
  }
}
