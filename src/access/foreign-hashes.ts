import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto';

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
const ARGON =
  /^\$(argon2id?)\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,172})$/;
/** KiB; a hash that needs more could exhaust the memory. */
const MAX_MEMORY = 1_048_576;

/**
 * Reads a bcrypt or Argon2 password hash of another system, also if it is Base64-encoded, as R2R stores it. Undefined
 * for anything else.
 */
export function readForeignHash(given: string): string | undefined {
  const decoded = Buffer.from(given, 'base64').toString('latin1').replace(/\0+$/, '');
  return [given, decoded].find((hash) => BCRYPT.test(hash) || Number(ARGON.exec(hash)?.[2]) <= MAX_MEMORY);
}

/** Whether the password matches a hash returned by `readForeignHash`. */
export async function matchesForeignHash(password: string, hash: string): Promise<boolean> {
  if (BCRYPT.test(hash)) return (await import('bcryptjs')).compare(password, hash);
  const [, kind, memory, passes, lanes, salt = '', tag = ''] = ARGON.exec(hash) ?? [];
  if (kind === undefined) return false;
  const wanted = Buffer.from(tag, 'base64');
  const parameters: Argon2Parameters = {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(lanes),
    tagLength: wanted.length,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  argon2(kind === 'argon2i' ? 'argon2i' : 'argon2id', parameters, (error, found) =>
    error ? reject(error) : resolve(found),
  );
  return timingSafeEqual(await promise, wanted);
}
