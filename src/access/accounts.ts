import type { Corpus } from '../store/corpus.ts';
import type { OtherServers } from '../store/other-servers.ts';
import type { CollectionRecords, ConversationRecords } from '../store/records.ts';
import type { UserStore } from '../store/user-records.ts';
import { createMemberships, type Memberships } from './memberships.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createQuotas, type QuotaSizes, type Quotas } from './quotas.ts';
import type { UserPolicy } from './register-user.ts';
import { createRequestLimits, type RequestLimits, type RequestRates } from './request-limits.ts';
import { createSessionTokens } from './session-tokens.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createUserAuthenticator, type UserAuthenticator } from './user-authenticator.ts';
import { createUsers, type Users } from './users.ts';

/** Users, authentication, rate limits and quotas. */
export interface Accounts {
  readonly users: Users;
  readonly signIn: SignIn;
  readonly userAuthenticator: UserAuthenticator;
  readonly memberships: Memberships;
  readonly limits: RequestLimits;
  readonly quotas: Quotas;
  readonly passwords: Passwords;
  readonly store: UserStore;
}

export interface AccountSettings extends UserPolicy {
  /** Undefined uses a secret that is generated once and stored. */
  readonly tokenSecret?: string | undefined;
  readonly accessMinutes: number;
  readonly refreshDays: number;
  readonly rates: RequestRates;
  readonly quotas: QuotaSizes;
  /** See `createPasswords`. */
  readonly passwordCost?: number;
  readonly minPasswordLength?: number;
}

export interface AccountParts {
  readonly store: UserStore;
  readonly corpus: Corpus;
  readonly collections: CollectionRecords;
  readonly conversations: ConversationRecords;
  /** Shared counters and locks when several servers use one database. */
  readonly others?: Pick<OtherServers, 'counters' | 'runExclusively'> | undefined;
  /** Stops following the folders and sites of a deleted user. */
  readonly stopFollowing?: (userId: string) => Promise<void>;
  /** Ends the runs of a deleted user and removes their results. */
  readonly forgetRuns?: (userId: string) => Promise<void>;
}

/** Defaults for a single-user deployment: no limits, open registration. */
export const defaultAccountSettings: AccountSettings = {
  registration: 'open',
  requiresVerified: false,
  accessMinutes: 60,
  refreshDays: 7,
  rates: {},
  quotas: {},
};

export function createAccounts(settings: AccountSettings, parts: AccountParts): Accounts {
  const { store, corpus, collections, others } = parts;
  const counters = others?.counters;
  const secret = async () => settings.tokenSecret ?? store.signingSecret();
  const passwords = createPasswords(settings.passwordCost, settings.minPasswordLength);
  const tokens = createSessionTokens({ ...settings, secret });
  const signIn = createSignIn({ store, tokens, passwords, requiresVerified: settings.requiresVerified, counters });
  return {
    users: createUsers({ ...parts, signIn, passwords, policy: settings, counters }),
    signIn,
    userAuthenticator: createUserAuthenticator({ signIn, collections }),
    memberships: createMemberships({ collections, users: store.users }),
    limits: createRequestLimits({ defaults: settings.rates, store, counters }),
    quotas: createQuotas({ defaults: settings.quotas, users: store.users, corpus, collections, others }),
    passwords,
    store,
  };
}
