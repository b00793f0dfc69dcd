import type { Generated } from 'kysely';

/** Times are ISO-8601 in UTC, booleans 0 and 1. */
export interface UserTable {
  readonly key: Generated<number>;
  readonly id: string;
  /** In lower case */
  readonly email: string;
  readonly password_hash: string | null;
  readonly token_stamp: string;
  readonly is_superuser: number;
  readonly is_active: number;
  readonly is_verified: number;
  readonly name: string | null;
  readonly bio: string | null;
  readonly profile_picture: string | null;
  /** Metadata */
  readonly metadata: string;
  /** Metadata */
  readonly limits_overrides: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ApiKeyTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly user_id: string;
  readonly public_key: string;
  readonly secret_hash: string;
  readonly name: string;
  readonly description: string | null;
  readonly updated_at: string;
}

export interface RevokedTokenTable {
  readonly token_id: string;
  readonly expires_at: string;
}

export interface UserCodeTable {
  readonly user_id: string;
  readonly purpose: string;
  readonly code_hash: string;
  readonly expires_at: string;
}

export interface RequestCountTable {
  readonly user_id: string;
  readonly month: string;
  readonly requests: number;
}

/** The tables of users and authentication. */
export interface UserTables {
  readonly users: UserTable;
  readonly api_keys: ApiKeyTable;
  readonly revoked_tokens: RevokedTokenTable;
  readonly user_codes: UserCodeTable;
  readonly request_counts: RequestCountTable;
}
