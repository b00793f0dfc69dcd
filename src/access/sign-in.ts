import { ServiceError } from '../errors.ts';
import type { SharedCounters } from '../store/shared-counters.ts';
import type { User, UserStore } from '../store/user-records.ts';
import { matchesApiKey, readApiKey } from './api-keys.ts';
import { rateLimitAddress } from './client-address.ts';
import { MAX_EMAIL_LENGTH } from './email-address.ts';
import { createKnownClients } from './known-clients.ts';
import type { Passwords } from './passwords.ts';
import { createRefreshRotation } from './refresh-rotation.ts';
import { invalidToken, type SessionClaims, type SessionTokens, type TokenPair } from './session-tokens.ts';
import { type Throttle, throttleFactory } from './throttle.ts';

export interface SignInParts {
  readonly store: UserStore;
  readonly tokens: SessionTokens;
  readonly passwords: Passwords;
  /** Whether login requires a verified e-mail. */
  readonly requiresVerified: boolean;
  readonly throttles?: LoginThrottles;
  /** Counts attempts across servers; without it, attempts are counted in this process only. */
  readonly counters?: SharedCounters | undefined;
}

/** Limits on failed logins: per account and address, per address, and per account. */
export interface LoginThrottles {
  readonly pair: Throttle;
  readonly address: Throttle;
  readonly email: Throttle;
}

const QUARTER_HOUR = 900;

function defaultThrottles(counters: SharedCounters | undefined): LoginThrottles {
  const createThrottle = throttleFactory(counters);
  return {
    pair: createThrottle('login', { times: 10, seconds: QUARTER_HOUR }),
    address: createThrottle('login address', { times: 100, seconds: QUARTER_HOUR }),
    email: createThrottle('login email', { times: 100, seconds: QUARTER_HOUR }),
  };
}

/** Login, tokens and API keys (docs/contract.md 2). */
export interface SignIn {
  /** Throws `unauthenticated`, identical for an unknown e-mail and a wrong password, and `rate_limited`. */
  login(login: Login): Promise<TokenPair>;
  /**
   * Exchanges a refresh token. If its use shows that it was stolen (`RefreshRotation`), the whole session is revoked.
   * Throws `unauthenticated`, `token_expired`.
   */
  refresh(refreshToken: string): Promise<TokenPair>;
  /** Revokes the access token and the other tokens of its session. */
  logout(accessToken: string): Promise<void>;
  /** Whether a token claims to be issued by this server. */
  isOwnToken(token: string): boolean;
  /** The active user of an access token. Throws `unauthenticated`, `token_expired`. */
  userOfToken(accessToken: string): Promise<User>;
  /** The active user of an API key; undefined if invalid. */
  userOfKey(key: string): Promise<User | undefined>;
  /** Throws `invalid_request` for a wrong password, and `rate_limited`. */
  confirmPassword(user: User, password: string, refusal: string): Promise<void>;
}

export interface Login {
  readonly email: string;
  readonly password: string;
  /** Client address. */
  readonly address: string;
}

export function createSignIn(parts: SignInParts): SignIn {
  const { store, tokens, passwords, requiresVerified, counters, throttles = defaultThrottles(counters) } = parts;
  const { users, apiKeys, revokedTokens } = store;
  const rotation = createRefreshRotation(revokedTokens);
  /** Pairs of account and client address with a successful login. */
  const known = createKnownClients(counters);

  const userOf = async ({ email, stamp, session }: SessionClaims, kind: 'access' | 'refresh'): Promise<User> => {
    const [user, isRevoked] = await Promise.all([users.findByEmail(email), revokedTokens.has(session)]);
    if (user === undefined || user.tokenStamp !== stamp || !user.isActive || isRevoked) throw invalidToken(kind);
    return user;
  };

  return {
    async login({ email, password, address }) {
      // No account has a longer name, and the throttles would keep it in memory.
      if (email.length > MAX_EMAIL_LENGTH) throw wrongLogin();
      const account = email.toLowerCase();
      const clientAddress = rateLimitAddress(address);
      const pair = `${account} ${clientAddress}`;
      const isKnown = await known.has(pair);
      // A client that has logged in before is not locked out by the failed attempts of others. The address is checked
      // first, so that a blocked address leaves no record of each account it tries.
      if (!isKnown) await throttles.address.attempt(clientAddress);
      try {
        await throttles.pair.attempt(pair);
      } catch (refusal) {
        if (!isKnown) await throttles.address.undo(clientAddress);
        throw refusal;
      }
      if (!isKnown) await throttles.email.attempt(account);
      const user = await users.findByEmail(email);
      const isRight = await passwords.matches(password, user?.passwordHash ?? null);
      if (user === undefined || !isRight || !user.isActive) {
        throw wrongLogin();
      }
      if (requiresVerified && !user.isVerified) {
        const remedy = 'Its administrator can verify it: citewell users verify EMAIL.';
        throw new ServiceError(
          'unauthenticated',
          `Email not verified: this server lets in verified users only. ${remedy}`,
        );
      }
      // Undoes only this attempt: otherwise the owner of an account could reset the count between guesses at other
      // accounts.
      if (!isKnown) await throttles.address.undo(clientAddress);
      await Promise.all([throttles.pair.reset(pair), throttles.email.reset(account), known.add(pair)]);
      const rehashed = await passwords.rehash(password, user.passwordHash ?? '');
      if (rehashed !== undefined) await users.update(user.id, { passwordHash: rehashed });
      return tokens.issue(user);
    },

    async refresh(refreshToken) {
      const claims = await tokens.read(refreshToken, 'refresh');
      const user = await userOf(claims, 'refresh');
      if (!(await rotation.exchange(claims))) {
        // Which of the token's two users is legitimate is unknown.
        await revokedTokens.add(claims.session, tokens.sessionEnd());
        throw invalidToken('refresh');
      }
      return tokens.issue(user, claims);
    },

    async logout(accessToken) {
      const { session } = await tokens.read(accessToken, 'access');
      await revokedTokens.add(session, tokens.sessionEnd());
    },

    isOwnToken: (token) => tokens.isOwn(token),

    async userOfToken(accessToken) {
      const claims = await tokens.read(accessToken, 'access');
      const user = await userOf(claims, 'access');
      await rotation.confirm(claims);
      return user;
    },

    async userOfKey(given) {
      const parts = readApiKey(given);
      const key = parts && (await apiKeys.findByPublicKey(parts.publicKey));
      if (parts === undefined || key === undefined || !matchesApiKey(key, parts.secret)) return undefined;
      const user = await users.get(key.userId);
      return user?.isActive ? user : undefined;
    },

    async confirmPassword(user, password, refusal) {
      await throttles.email.attempt(user.email);
      if (!(await passwords.matches(password, user.passwordHash))) throw new ServiceError('invalid_request', refusal);
      await throttles.email.reset(user.email);
    },
  };
}

const wrongLogin = () => new ServiceError('unauthenticated', 'Incorrect email or password');
