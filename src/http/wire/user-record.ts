import { z } from 'zod';
import type { Registration } from '../../access/register-user.ts';
import type { IssuedKey, Profile } from '../../access/users.ts';
import type { Metadata } from '../../documents/document.ts';
import type { CollectionMember } from '../../store/records.ts';
import type { ApiKey, Holdings, User } from '../../store/user-records.ts';
import { id, ids, metadata, timestamp } from './record-parts.ts';
import { defined, optional, snakeCased } from './tolerant.ts';

/** docs/contract.md 10. */
export const userRecord = z
  .object({
    id,
    email: z.string(),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
    is_verified: z.boolean(),
    collection_ids: ids,
    graph_ids: ids,
    document_ids: ids.describe('The newest thousand; empty in lists.'),
    limits_overrides: metadata,
    metadata,
    verification_code_expiry: z.null(),
    name: z.string().nullable(),
    bio: z.string().nullable(),
    profile_picture: z.string().nullable(),
    total_size_in_bytes: z.int(),
    num_files: z.int(),
    account_type: z.literal('password'),
    hashed_password: z.null().describe('Always null.'),
    google_id: z.null(),
    github_id: z.null(),
  })
  .meta({ id: 'User' }) satisfies z.ZodType<ReturnType<typeof toUserRecord>>;

export const keyRecord = z
  .object({
    key_id: id,
    public_key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    updated_at: timestamp,
  })
  .meta({ id: 'ApiKey' }) satisfies z.ZodType<ReturnType<typeof toKeyRecord>>;

export const newKeyRecord = z
  .object({
    public_key: z.string(),
    api_key: z.string().describe('The complete key, shown once.'),
    key_id: id,
    name: z.string(),
  })
  .meta({ id: 'NewApiKey' });

/** Facts in a user's record that are not part of the stored user. */
export interface UserRelations {
  readonly collectionIds: readonly string[];
  /** At most the newest thousand. */
  readonly documentIds: readonly string[];
  readonly holdings: Holdings | undefined;
}

/** docs/contract.md 10. Credentials are never included. */
export function toUserRecord(user: User, { collectionIds, documentIds, holdings }: UserRelations) {
  return {
    id: user.id,
    email: user.email,
    is_active: user.isActive,
    is_superuser: user.isSuperuser,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    is_verified: user.isVerified,
    collection_ids: collectionIds,
    // Each collection has a graph of the same id.
    graph_ids: collectionIds,
    document_ids: documentIds,
    limits_overrides: user.limitsOverrides ?? {},
    metadata: user.metadata,
    verification_code_expiry: null,
    name: user.name,
    bio: user.bio,
    profile_picture: user.profilePicture,
    total_size_in_bytes: holdings?.bytes ?? 0,
    num_files: holdings?.documents ?? 0,
    account_type: 'password',
    hashed_password: null,
    google_id: null,
    github_id: null,
  };
}

/** A member of a collection without a local account, who authenticates with tokens of an external issuer. */
export const toMemberRecord = ({ userId, createdAt }: CollectionMember) => {
  const unknown = { email: '', passwordHash: null, tokenStamp: '', name: null, bio: null, profilePicture: null };
  const rights = { isSuperuser: false, isActive: true, isVerified: true, limitsOverrides: null, metadata: {} };
  return toUserRecord(
    { id: userId, ...unknown, ...rights, createdAt, updatedAt: createdAt },
    { collectionIds: [], documentIds: [], holdings: undefined },
  );
};

export const toNewKeyRecord = ({ publicKey, key, id, name }: IssuedKey) => ({
  public_key: publicKey,
  api_key: key,
  key_id: id,
  name,
});

export const toKeyRecord = ({ id, publicKey, name, description, updatedAt }: ApiKey) => ({
  key_id: id,
  public_key: publicKey,
  name,
  description,
  updated_at: updatedAt,
});

const text = (longest: number) => optional(z.string().max(longest));
const givenMetadata = z.record(z.string(), z.json()).transform((value): Metadata => value);
const person = {
  name: text(1_000),
  bio: text(10_000),
  // A URL, or the picture itself as a data URL.
  profile_picture: text(2_000_000),
};

/** Additions for superusers: `is_verified`, and `password_hash`, which is stored instead of hashing `password`. */
export const registration = snakeCased(
  z.object({
    email: z.string(),
    password: z.string(),
    password_hash: optional(z.string()),
    ...person,
    is_verified: optional(z.boolean()),
  }),
).transform(
  ({ profile_picture, is_verified, password_hash, ...wire }): Registration =>
    defined({ ...wire, profilePicture: profile_picture, isVerified: is_verified, passwordHash: password_hash }),
);

/**
 * Additions for superusers: `is_active`, `is_verified`, `password`, and `password_hash`, a bcrypt or Argon2 hash from
 * another system.
 */
export const userChange = snakeCased(
  z.object({
    email: optional(z.string()),
    is_superuser: optional(z.boolean()),
    ...person,
    metadata: optional(givenMetadata),
    // Null removes the overrides.
    limits_overrides: givenMetadata.nullish(),
    is_active: optional(z.boolean()),
    is_verified: optional(z.boolean()),
    password: optional(z.string()),
    password_hash: optional(z.string()),
  }),
).transform(
  (wire): Profile =>
    defined({
      email: wire.email,
      name: wire.name,
      bio: wire.bio,
      profilePicture: wire.profile_picture,
      metadata: wire.metadata,
      limitsOverrides: wire.limits_overrides,
      isSuperuser: wire.is_superuser,
      isActive: wire.is_active,
      isVerified: wire.is_verified,
      password: wire.password,
      passwordHash: wire.password_hash,
    }),
);

const revokesKeys = optional(z.boolean()).describe('Also delete the API keys of the user, which otherwise stay valid.');

export const passwordChange = snakeCased(
  z.object({ current_password: z.string(), new_password: z.string(), revoke_api_keys: revokesKeys }),
);

export const passwordReset = snakeCased(
  z.object({ reset_token: z.string(), new_password: z.string(), revoke_api_keys: revokesKeys }),
);

/** The response to both. */
export const passwordSet = z
  .object({ message: z.string(), api_keys: z.int().describe('Number of API keys of the user that stay valid.') })
  .meta({ id: 'PasswordSet' });

export const verification = snakeCased(z.object({ email: z.string(), verification_code: z.string() }));

export const removal = z.object({ password: optional(z.string()) });

export const newKey = z.object({ name: text(1_000), description: text(10_000) });

export const newCode = z.object({ purpose: z.enum(['verify', 'reset']) });
