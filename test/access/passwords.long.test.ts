import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPasswords } from '../../src/access/passwords.ts';

const cheap = createPasswords(4);

describe('a password hash of another system', () => {
  it.each([
    [
      'bcrypt in Base64',
      'JDJiJDEyJElsbTM0a3V0RXVsZFNIbVpSdkFrZHVEdVZBMkpkeWJBL3RCOEM0S0VNSnpEL0FHU296TTc2',
      'analytical engine',
    ],
    ['Argon2', '$argon2i$v=19$m=8,t=3,p=1$laWPc6wDnS99xsMwqVPfBg$QJh6pNW6yDDvzhg2X+sQ8ww8oyRGZHkow+Hs44RzWaY', 'pwd'],
  ])('matches its password (%s), and is replaced at the first login', async (_, given, password) => {
    const adopted = cheap.importHash(given);
    expect(adopted).toMatch(/^\$(2b|argon2i)\$/);
    expect(await cheap.matches(password, adopted)).toBe(true);
    expect(await cheap.matches(`${password}x`, adopted)).toBe(false);
    const renewed = await cheap.rehash(password, adopted);
    expect(await cheap.matches(password, renewed ?? null)).toBe(true);
    expect(await cheap.rehash(password, renewed ?? '')).toBeUndefined();
  });

  it.each([
    '',
    'nonsense',
    '$scrypt$ln=4,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA$A',
    '$argon2id$v=19$m=4000000,t=3,p=1$laWPc6wDnS99xsMwqVPfBg$QJh6pNW6yDDvzhg2X+sQ8ww8oyRGZHkow+Hs44RzWaY',
  ])('is refused when it is of no known kind, or needs too much memory: %j', (given) => {
    expect(() => cheap.importHash(given)).toThrow('not a bcrypt or Argon2 password hash');
  });
});

describe('a password', () => {
  it('matches its hash, and no other password does', async () => {
    const password = fc.string({ minLength: 8, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(password, password, async (one, other) => {
        const hash = await cheap.hash(one);
        expect(await cheap.matches(one, hash)).toBe(true);
        expect(await cheap.matches(other, hash)).toBe(one.normalize('NFKC') === other.normalize('NFKC'));
      }),
      { numRuns: 50 },
    );
  });

  it('is stored with its own salt and hash parameters', async () => {
    const [one, two] = await Promise.all([cheap.hash('pass phrase'), cheap.hash('pass phrase')]);
    expect(one).toMatch(/^\$scrypt\$ln=4,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(two);
    // Hashed with an earlier or later default cost.
    expect(await createPasswords(5).matches('pass phrase', one)).toBe(true);
  });

  it('costs 32 MB and noticeable time per guess', async () => {
    const standard = createPasswords();
    const hash = await standard.hash('pass phrase');
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    const startedAt = performance.now();
    await standard.matches('another one', hash);
    const wrong = performance.now() - startedAt;
    await standard.matches('another one', null);
    const nobody = performance.now() - startedAt - wrong;
    // The comparison is coarse, because the processors are shared with other tests.
    expect(nobody / wrong).toBeGreaterThan(0.2);
  });

  it('matches in every Unicode normalisation form', async () => {
    expect(await cheap.matches('Cafe\u0301 au lait', await cheap.hash('Caf\u00e9 au lait'))).toBe(true);
  });

  it('never matches a missing hash, and must have a minimum length', async () => {
    expect(await cheap.matches('AAAAAAAAAAAA', null)).toBe(false);
    await expect(cheap.hash('short')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(cheap.hash('x'.repeat(1_001))).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
