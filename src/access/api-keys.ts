import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '../store/user-records.ts';

const FORMAT = /^(key_[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export interface NewApiKey {
  readonly publicKey: string;
  readonly secretHash: string;
  /** The complete key; shown once and not stored. */
  readonly key: string;
}

/** Creates a key in the format of docs/contract.md 2: a public part for lookup and a secret part. */
export function makeApiKey(): NewApiKey {
  const publicKey = `key_${randomBytes(16).toString('base64url')}`;
  const secret = randomBytes(32).toString('base64url');
  return { publicKey, secretHash: hash(secret), key: `${publicKey}.${secret}` };
}

/** Splits a key into its parts; undefined if it has another format. */
export function readApiKey(given: string): { readonly publicKey: string; readonly secret: string } | undefined {
  const [, publicKey, secret] = FORMAT.exec(given) ?? [];
  return publicKey === undefined || secret === undefined ? undefined : { publicKey, secret };
}

/** Constant-time comparison. The secret has 256 bits, so it needs no slow password hash. */
export function matchesApiKey({ secretHash }: Pick<ApiKey, 'secretHash'>, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash(secret), 'hex'), Buffer.from(secretHash, 'hex'));
}

const hash = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
