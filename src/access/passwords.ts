import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { matchesForeignHash, readForeignHash } from './foreign-hashes.ts';

/** Password hashing with scrypt. */
export interface Passwords {
  /** Throws `invalid_request` for a password that is too short or too long. */
  check(password: string): void;
  /** A salted hash with its parameters. Throws `invalid_request` as `check` does. */
  hash(password: string): Promise<string>;
  /** Whether the password has this hash. A null hash never matches and takes the same time. */
  matches(password: string, stored: string | null): Promise<boolean>;
  /** The hash of another system as stored until the next login. Throws `invalid_request` for an unknown format. */
  importHash(hash: string): string;
  /** A scrypt hash to replace an adopted hash after a login; undefined if `stored` is a scrypt hash already. */
  rehash(password: string, stored: string): Promise<string | undefined>;
}

/** scrypt with 32 MB and some tenths of a second per guess; one of the parameter sets recommended by OWASP. */
const DEFAULT_COST = 15;
const BLOCK = 8;
const PARALLEL = 3;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const MIN_LENGTH = 8;
const MAX_LENGTH = 1_000;
const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]+)$/;

/**
 * `cost` is log2 of scrypt's N for new hashes; stored hashes keep their own parameters. `minLength` applies to new
 * passwords.
 */
export function createPasswords(cost: number = DEFAULT_COST, minLength: number = MIN_LENGTH): Passwords {
  const parameters = `$scrypt$ln=${cost},r=${BLOCK},p=${PARALLEL}`;
  // Dummy hash for accounts without a password, so that the response time does not reveal them.
  const dummyHash = `${parameters}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  const check = (password: string): void => {
    if (password.length >= minLength && password.length <= MAX_LENGTH) return;
    throw new ServiceError('invalid_request', `A password has from ${minLength} to ${MAX_LENGTH} characters.`);
  };
  const hash = async (password: string): Promise<string> => {
    const salt = randomBytes(SALT_BYTES);
    const key = await derive(password, salt, { ln: cost, r: BLOCK, p: PARALLEL, bytes: KEY_BYTES });
    return `${parameters}$${salt.toString('base64url')}$${key.toString('base64url')}`;
  };
  const matchesOwn = async (given: string, stored: string | null): Promise<boolean> => {
    const [, ln, r, p, salt = '', hash = ''] = FORMAT.exec(stored ?? dummyHash) ?? [];
    if (ln === undefined) throw new ServiceError('store_failed', 'A stored password hash has an unknown format.');
    const wanted = Buffer.from(hash, 'base64url');
    const made = { ln: Number(ln), r: Number(r), p: Number(p), bytes: wanted.length };
    const found = await derive(given, Buffer.from(salt, 'base64url'), made);
    return timingSafeEqual(found, wanted) && stored !== null;
  };
  return {
    check,
    async hash(password) {
      check(password);
      return hash(password);
    },
    importHash(given) {
      const adopted = readForeignHash(given);
      if (adopted !== undefined) return adopted;
      throw new ServiceError('invalid_request', 'This is not a bcrypt or Argon2 password hash.');
    },
    async rehash(password, stored) {
      return FORMAT.test(stored) ? undefined : hash(password);
    },
    async matches(password, stored) {
      // Longer passwords are never stored, and hashing them would waste time.
      const given = password.slice(0, MAX_LENGTH + 1);
      if (stored === null || readForeignHash(stored) !== stored) return matchesOwn(given, stored);
      // Also computes a hash of our own, so that the time does not reveal whose password came from another system.
      const [isRight] = await Promise.all([matchesForeignHash(given, stored), matchesOwn(given, null)]);
      return isRight;
    },
  };
}

interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly bytes: number;
}

function derive(password: string, salt: Buffer, { ln, r, p, bytes }: Cost): Promise<Buffer> {
  const cost = 2 ** ln;
  const options: ScryptOptions = { cost, blockSize: r, parallelization: p, maxmem: 256 * cost * r };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // Keyboards may encode the same character as different sequences of code points.
  scrypt(password.normalize('NFKC'), salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}
