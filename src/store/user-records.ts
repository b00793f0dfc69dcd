import type { Metadata } from '../documents/document.ts';
import type { Page, Paged } from './corpus.ts';

export interface User {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  /** As `hashPassword` makes it; null for one who cannot log in by password. Never leaves the process. */
  readonly passwordHash: string | null;
  /** Tokens carry it; another one makes all that were given out worthless. */
  readonly tokenStamp: string;
  readonly isSuperuser: boolean;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  readonly name: string | null;
  readonly bio: string | null;
  readonly profilePicture: string | null;
  readonly metadata: Metadata;
  /** Limits of this user's own, which win over those of everybody; null when there are none. */
  readonly limitsOverrides: Metadata | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type NewUser = Pick<User, 'email' | 'passwordHash' | 'isSuperuser' | 'isVerified'> &
  Partial<Pick<User, 'name' | 'bio' | 'profilePicture'>>;

export type UserChange = Partial<Omit<User, 'id' | 'createdAt' | 'updatedAt'>>;

/** Users. E-mails are compared in lower case. */
export interface UserRecords {
  get(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  /** Newest first; `ids` empty means all. */
  list(query: { readonly ids: readonly string[] } & Page): Promise<Paged<User>>;
  /** Throws `conflict` when the e-mail has a user. */
  create(user: NewUser): Promise<User>;
  /** Undefined when there is none. Throws `conflict` when the e-mail is another's. */
  update(id: string, change: UserChange): Promise<User | undefined>;
  /** True when it was there. Keys, codes and counts of the user go with it. */
  remove(id: string): Promise<boolean>;
}

/** A key of a user without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly userId: string;
  /** The part that may be shown, and finds the key. */
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
  /** True when the user had it. */
  remove(userId: string, id: string): Promise<boolean>;
}

/** Tokens that are good by their signature and must not be taken all the same. */
export interface RevokedTokens {
  has(tokenId: string): Promise<boolean>;
  /** False when it was revoked already. Forgets what has expired, as no one would take that anyway. */
  add(tokenId: string, expiresAt: string): Promise<boolean>;
}

export type CodePurpose = 'verify' | 'reset';

/** Codes sent to a user to prove that the e-mail is theirs: one per user and purpose, kept as hashes. */
export interface UserCodes {
  /** Takes the place of an earlier one. */
  put(userId: string, purpose: CodePurpose, hash: string, expiresAt: string): Promise<void>;
  /** The user whose code it is; it is used up by this. Undefined for none, and for one that has expired. */
  take(purpose: CodePurpose, hash: string): Promise<string | undefined>;
}

/** How many requests of a month were counted for each user. Survives restarts; earlier months are forgotten. */
export interface RequestCounts {
  /** The number with this one. `month` as in `2026-01`. */
  count(userId: string, month: string): Promise<number>;
  of(userId: string, month: string): Promise<number>;
}

/** What a user owns of the corpus. */
export interface Holdings {
  readonly documents: number;
  readonly bytes: number;
}

/** All that is kept of users. */
export interface UserStore {
  readonly users: UserRecords;
  readonly apiKeys: ApiKeyRecords;
  readonly revokedTokens: RevokedTokens;
  readonly codes: UserCodes;
  readonly requestCounts: RequestCounts;
  /** By user; who owns nothing is left out. */
  holdings(userIds: readonly string[]): Promise<ReadonlyMap<string, Holdings>>;
  /** What tokens are signed with, made once and kept. */
  signingSecret(): Promise<string>;
}
