import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { lazyResult } from '../shared/lazy-result.ts';
import type { User } from '../store/user-records.ts';

export interface SessionTokenParts {
  /** Provides the signing secret; called with the first token. */
  readonly secret: () => Promise<string>;
  readonly accessMinutes: number;
  readonly refreshDays: number;
}

export type TokenKind = 'access' | 'refresh';

/** The tokens of one login (docs/contract.md 2). */
export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
}

export interface SessionClaims {
  readonly email: string;
  /** The user's token stamp when the token was issued; see `User`. */
  readonly stamp: string;
  readonly tokenId: string;
  /** Shared by all tokens of one login. */
  readonly session: string;
  /** The refresh token in exchange for which the token was issued; undefined after a login. */
  readonly replaces: string | undefined;
  readonly issuedAt: string;
  readonly expiresAt: string;
}

/** Signs and verifies the JWTs of this server's users. Revocation is checked elsewhere. */
export interface SessionTokens {
  /** Starts a session, or continues the one whose refresh token is replaced. */
  issue(
    user: Pick<User, 'email' | 'tokenStamp'>,
    replaced?: Pick<SessionClaims, 'session' | 'tokenId'>,
  ): Promise<TokenPair>;
  /** Throws `unauthenticated`, or `token_expired` for an expired but valid token. */
  read(token: string, kind: TokenKind): Promise<SessionClaims>;
  /** Whether the token claims to be issued by this server; the signature is not checked. */
  isOwn(token: string): boolean;
  /** Expiry (ISO-8601) of a refresh token that is issued now. */
  sessionEnd(): string;
}

const ALGORITHM = 'HS256';
const DAY = 86_400;

const claims = z.object({
  sub: z.string().min(1),
  token_type: z.enum(['access', 'refresh']),
  stamp: z.string(),
  session: z.string(),
  replaces: z.string().optional(),
  jti: z.string(),
  iat: z.number(),
  exp: z.number(),
});

const claimedAlgorithm = z.object({ alg: z.string() });

export function createSessionTokens({ secret, accessMinutes, refreshDays }: SessionTokenParts): SessionTokens {
  const key = lazyResult(async () => new TextEncoder().encode(await secret()));
  const seconds = { access: accessMinutes * 60, refresh: refreshDays * DAY };

  const sign = async (
    kind: TokenKind,
    { email, tokenStamp }: Pick<User, 'email' | 'tokenStamp'>,
    origin: Pick<SessionClaims, 'session' | 'replaces'>,
  ) => {
    const now = Math.floor(Date.now() / 1000);
    // Loaded on first use, because it is not needed without logins.
    const { SignJWT } = await import('jose');
    return new SignJWT({ token_type: kind, stamp: tokenStamp, ...origin, nonce: randomUUID() })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setSubject(email)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + seconds[kind])
      .sign(await key());
  };

  return {
    async issue(user, replaced) {
      const origin = { session: replaced?.session ?? randomUUID(), replaces: replaced?.tokenId };
      const [access, refresh] = await Promise.all([sign('access', user, origin), sign('refresh', user, origin)]);
      return { access, refresh };
    },

    async read(token, kind) {
      const found = claims.safeParse(await verified(token, await key(), kind));
      if (!found.success || found.data.token_type !== kind) throw invalidToken(kind);
      const { sub, stamp, jti, session, replaces, iat, exp } = found.data;
      const [issuedAt, expiresAt] = [fromSeconds(iat), fromSeconds(exp)];
      return { email: sub, stamp, tokenId: jti, session, replaces, issuedAt, expiresAt };
    },

    isOwn(token) {
      try {
        const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('utf8'));
        return claimedAlgorithm.parse(header).alg === ALGORITHM;
      } catch {
        return false;
      }
    },

    sessionEnd: () => new Date(Date.now() + seconds.refresh * 1000).toISOString(),
  };
}

const fromSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Clients recognise these messages and refresh their token or ask for the password (docs/contract.md 1.2). */
export const invalidToken = (kind: TokenKind): ServiceError =>
  new ServiceError(
    'unauthenticated',
    `Invalid token: this is not a valid ${kind} token of this server, or it was revoked.`,
  );

async function verified(token: string, key: Uint8Array, kind: TokenKind): Promise<unknown> {
  const { errors, jwtVerify } = await import('jose');
  try {
    return (await jwtVerify(token, key, { algorithms: [ALGORITHM], requiredClaims: ['exp', 'sub', 'jti'] })).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      const now = kind === 'access' ? 'get a new one with the refresh token' : 'log in again';
      throw new ServiceError('token_expired', `The ${kind} token expired: token expired, ${now}.`);
    }
    throw invalidToken(kind);
  }
}
