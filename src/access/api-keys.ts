import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '../store/user-records.ts';

const FORMAT = /^(key_[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export interface NewApiKey {
  readonly publicKey: string;
  readonly secretHash: string;
  /** Shown once, and kept nowhere. */
  readonly whole: string;
}

/** A key as docs/contract.md 2 spells it: a part that finds it and a part that proves it. */
export function makeApiKey(): NewApiKey {
  const publicKey = `key_${randomBytes(16).toString('base64url')}`;
  const secret = randomBytes(32).toString('base64url');
  return { publicKey, secretHash: hash(secret), whole: `${publicKey}.${secret}` };
}

/** The two parts of what may be such a key; undefined when it is something else. */
export function readApiKey(given: string): { readonly publicKey: string; readonly secret: string } | undefined {
  const [, publicKey, secret] = FORMAT.exec(given) ?? [];
  return publicKey === undefined || secret === undefined ? undefined : { publicKey, secret };
}

/** Compares in a time that says nothing of the secret, which is too long to be guessed and so needs no slow hash. */
export function matchesApiKey({ secretHash }: Pick<ApiKey, 'secretHash'>, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash(secret), 'hex'), Buffer.from(secretHash, 'hex'));
}

const hash = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
