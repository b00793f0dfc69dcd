import { ServiceError } from '../errors.ts';
import type { User, UserStore } from '../store/user-records.ts';
import { matchesApiKey, readApiKey } from './api-keys.ts';
import { rateLimitAddress } from './client-address.ts';
import { createKnownLogins } from './known-logins.ts';
import type { Passwords } from './passwords.ts';
import { invalidToken, type SessionClaims, type SessionTokens, type TokenPair } from './session-tokens.ts';
import { createThrottle, type Throttle } from './throttle.ts';

export interface SignInParts {
  readonly store: UserStore;
  readonly tokens: SessionTokens;
  readonly passwords: Passwords;
  /** Whether an e-mail has to be verified before one can log in. */
  readonly requiresVerified: boolean;
  readonly throttles?: LoginThrottles;
}

/** Against guessing of one user's password from one place, from one place at all, and of one user's from everywhere. */
export interface LoginThrottles {
  readonly pair: Throttle;
  readonly address: Throttle;
  readonly email: Throttle;
}

const QUARTER_HOUR = 900;

const defaultThrottles = (): LoginThrottles => ({
  pair: createThrottle({ times: 10, seconds: QUARTER_HOUR }),
  address: createThrottle({ times: 100, seconds: QUARTER_HOUR }),
  email: createThrottle({ times: 100, seconds: QUARTER_HOUR }),
});

/** How users show that it is them, docs/contract.md 2. */
export interface SignIn {
  /** Throws `unauthenticated`, the same for an unknown e-mail and a wrong password, and `rate_limited`. */
  login(login: Login): Promise<TokenPair>;
  /**
   * New tokens for a refresh token, which is worth nothing afterwards. One that comes a second time was copied by
   * somebody: its whole login ends. Throws `unauthenticated`, `token_expired`.
   */
  refresh(refreshToken: string): Promise<TokenPair>;
  /** Takes back the access token and all others of its login. */
  logout(accessToken: string): Promise<void>;
  /** Whether a token claims to be of this server. */
  isOwnToken(token: string): boolean;
  /** The active user of an access token. Throws `unauthenticated`, `token_expired`. */
  userOfToken(accessToken: string): Promise<User>;
  /** The active user of an API key; undefined when it is none. */
  userOfKey(key: string): Promise<User | undefined>;
  /** Throws `invalid_request` unless it is the password of that user, and `rate_limited`. */
  confirmPassword(user: User, password: string, refusal: string): Promise<void>;
}

export interface Login {
  readonly email: string;
  readonly password: string;
  /** Where it comes from. */
  readonly address: string;
}

export function createSignIn(parts: SignInParts): SignIn {
  const { store, tokens, passwords, requiresVerified, throttles = defaultThrottles() } = parts;
  const { users, apiKeys, revokedTokens } = store;
  const known = createKnownLogins();

  const userOf = async ({ email, stamp, session }: SessionClaims, kind: 'access' | 'refresh'): Promise<User> => {
    const [user, isRevoked] = await Promise.all([users.findByEmail(email), revokedTokens.has(session)]);
    if (user === undefined || user.tokenStamp !== stamp || !user.isActive || isRevoked) throw invalidToken(kind);
    return user;
  };

  return {
    async login({ email, password, address }) {
      const account = email.toLowerCase();
      const clientAddress = rateLimitAddress(address);
      const pair = `${account} ${clientAddress}`;
      throttles.pair.attempt(pair);
      // Who has logged in from there before is locked out by nobody else's guesses, neither at the account nor there.
      if (!known.has(pair)) {
        throttles.address.attempt(clientAddress);
        throttles.email.attempt(account);
      }
      const user = await users.findByEmail(email);
      const isRight = await passwords.matches(password, user?.passwordHash ?? null);
      if (user === undefined || !isRight || !user.isActive) {
        throw new ServiceError('unauthenticated', 'Incorrect email or password');
      }
      if (requiresVerified && !user.isVerified) {
        const how = 'Its administrator can verify it: citewell users verify EMAIL.';
        throw new ServiceError(
          'unauthenticated',
          `Email not verified: this server lets in verified users only. ${how}`,
        );
      }
      // Of the address only this one: or who has an account could guess at others' for ever between two logins.
      if (!known.has(pair)) throttles.address.undo(clientAddress);
      throttles.pair.forgive(pair);
      throttles.email.forgive(account);
      known.add(pair);
      return tokens.issue(user);
    },

    async refresh(refreshToken) {
      const claims = await tokens.read(refreshToken, 'refresh');
      const user = await userOf(claims, 'refresh');
      // Of two that come at once with the same token, the store lets one; which of them is the owner nobody can tell.
      if (!(await revokedTokens.add(claims.tokenId, claims.expiresAt))) {
        await revokedTokens.add(claims.session, tokens.sessionEnd());
        throw invalidToken('refresh');
      }
      return tokens.issue(user, claims.session);
    },

    async logout(accessToken) {
      const { session } = await tokens.read(accessToken, 'access');
      await revokedTokens.add(session, tokens.sessionEnd());
    },

    isOwnToken: (token) => tokens.isOwn(token),

    async userOfToken(accessToken) {
      return userOf(await tokens.read(accessToken, 'access'), 'access');
    },

    async userOfKey(given) {
      const parts = readApiKey(given);
      const key = parts && (await apiKeys.findByPublicKey(parts.publicKey));
      if (parts === undefined || key === undefined || !matchesApiKey(key, parts.secret)) return undefined;
      const user = await users.get(key.userId);
      return user?.isActive ? user : undefined;
    },

    async confirmPassword(user, password, refusal) {
      throttles.email.attempt(user.email);
      if (!(await passwords.matches(password, user.passwordHash))) throw new ServiceError('invalid_request', refusal);
      throttles.email.forgive(user.email);
    },
  };
}
