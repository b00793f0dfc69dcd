import type { Metadata } from '../documents/document.ts';
import type { Page, Paged } from './corpus.ts';

export interface User {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  /** From `hashPassword`; null for a user who cannot log in by password. Never leaves the process. */
  readonly passwordHash: string | null;
  /** Included in tokens; changing it invalidates all tokens issued before. */
  readonly tokenStamp: string;
  readonly isSuperuser: boolean;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  readonly name: string | null;
  readonly bio: string | null;
  readonly profilePicture: string | null;
  readonly metadata: Metadata;
  /** Limits of this user, which override the general ones; null when there are none. */
  readonly limitsOverrides: Metadata | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type NewUser = Pick<User, 'email' | 'passwordHash' | 'isSuperuser' | 'isVerified'> &
  Partial<Pick<User, 'name' | 'bio' | 'profilePicture'>>;

export type UserChange = Partial<Omit<User, 'id' | 'createdAt' | 'updatedAt'>>;

/** Records of users. E-mails are compared in lower case. */
export interface UserRecords {
  get(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  /** Newest first; `ids` empty means all. */
  list(query: { readonly ids: readonly string[] } & Page): Promise<Paged<User>>;
  /** Throws `conflict` when the e-mail belongs to a user. */
  create(user: NewUser): Promise<User>;
  /** Undefined when there is no such user. Throws `conflict` when the e-mail belongs to another user. */
  update(id: string, change: UserChange): Promise<User | undefined>;
  /** True when the user existed. Their keys, codes and counts are deleted as well. */
  remove(id: string): Promise<boolean>;
}

/** An API key of a user, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly userId: string;
  /** The public part, by which the key is looked up. */
  readonly publicKey: string;
  readonly secretHash: string;
  readonly name: string;
  readonly description: string | null;
  readonly updatedAt: string;
}

export interface ApiKeyRecords {
  findByPublicKey(publicKey: string): Promise<ApiKey | undefined>;
  /** Newest first. */
  list(userId: string, page: Page): Promise<Paged<ApiKey>>;
  add(key: Omit<ApiKey, 'id' | 'updatedAt'>): Promise<ApiKey>;
  /** True when the user had the key. */
  remove(userId: string, id: string): Promise<boolean>;
  removeAll(userId: string): Promise<void>;
}

/** Names of tokens and sessions that must be rejected despite a valid signature, and of exchanged refresh tokens. */
export interface RevokedTokens {
  /** Whether the name was added and has not expired. */
  has(name: string): Promise<boolean>;
  /** False when the name is present. */
  add(name: string, expiresAt: string): Promise<boolean>;
}

export type CodePurpose = 'verify' | 'reset';

/** Verification codes sent to a user's e-mail: one per user and purpose, stored as hashes. */
export interface UserCodes {
  /** Replaces an earlier code. */
  put(userId: string, purpose: CodePurpose, hash: string, expiresAt: string): Promise<void>;
  /** The user the code belongs to; the code is consumed. Undefined for an unknown or expired code. */
  take(purpose: CodePurpose, hash: string): Promise<string | undefined>;
  /** Invalidates the user's code of this purpose, if there is one. */
  withdraw(userId: string, purpose: CodePurpose): Promise<void>;
}

/** Number of requests per user and month. Survives restarts; earlier months are deleted. */
export interface RequestCounts {
  /** Counts a request and returns the new number. `month` as in `2026-01`. */
  count(userId: string, month: string): Promise<number>;
  of(userId: string, month: string): Promise<number>;
}

/** The documents and other content a user owns. */
export interface Holdings {
  readonly documents: number;
  readonly bytes: number;
}

/** All records of users. */
export interface UserStore {
  readonly users: UserRecords;
  readonly apiKeys: ApiKeyRecords;
  readonly revokedTokens: RevokedTokens;
  readonly codes: UserCodes;
  readonly requestCounts: RequestCounts;
  /** By user; users who own nothing are left out. */
  holdings(userIds: readonly string[]): Promise<ReadonlyMap<string, Holdings>>;
  /** The secret that signs tokens, created once and stored. */
  signingSecret(): Promise<string>;
}
