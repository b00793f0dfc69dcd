import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSessionTokens } from '../../src/access/session-tokens.ts';

const secret = 'a secret of thirty-two characters.';
const tokens = createSessionTokens({ secret: async () => secret, accessMinutes: 60, refreshDays: 7 });
const user = { email: 'ada@example.org', tokenStamp: 'stamp' };
afterEach(() => vi.useRealTimers());

describe('tokens of a login', () => {
  it('name their user and purpose', async () => {
    const { access, refresh } = await tokens.issue(user);
    expect(decodeJwt(access)).toMatchObject({
      sub: 'ada@example.org',
      token_type: 'access',
      exp: expect.any(Number),
      iat: expect.any(Number),
      nbf: expect.any(Number),
      jti: expect.any(String),
      nonce: expect.any(String),
    });
    expect(await tokens.read(access, 'access')).toMatchObject({ email: 'ada@example.org', stamp: 'stamp' });
    await expect(tokens.read(access, 'refresh')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(tokens.read(refresh, 'access')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('expire with the error on which clients renew them', async () => {
    vi.useFakeTimers({ now: Date.now() });
    const { access, refresh } = await tokens.issue(user);
    vi.advanceTimersByTime(61 * 60_000);
    await expect(tokens.read(access, 'access')).rejects.toMatchObject({
      code: 'token_expired',
      message: expect.stringContaining('token expired'),
    });
    await tokens.read(refresh, 'refresh');
    vi.advanceTimersByTime(7 * 86_400_000);
    await expect(tokens.read(refresh, 'refresh')).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('are issued again once the secret can be read', async () => {
    let isDown = true;
    const recovering = createSessionTokens({
      secret: async () => {
        if (isDown) throw new Error('The database restarts.');
        return secret;
      },
      accessMinutes: 60,
      refreshDays: 7,
    });
    await expect(recovering.issue(user)).rejects.toThrow('restarts');
    isDown = false;
    const { access } = await recovering.issue(user);
    expect(await recovering.read(access, 'access')).toMatchObject({ email: 'ada@example.org' });
  });

  it('cannot be forged', async () => {
    const { access } = await tokens.issue(user);
    const claims = decodeJwt(access);
    const sign = (key: string, alg: string) =>
      new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key.padEnd(64, '.')));
    const [header, , signature] = access.split('.');
    const others = [
      new UnsecuredJWT(claims).encode(),
      await sign('another secret of more than 32 bytes', 'HS256'),
      await sign(secret, 'HS512'),
      `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'root@example.org' })).toString('base64url')}.${signature}`,
      access.slice(0, -2),
      'no token',
      '',
    ];
    for (const token of others) {
      await expect(tokens.read(token, 'access')).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    const elsewhere = createSessionTokens({
      secret: async () => secret.toUpperCase(),
      accessMinutes: 60,
      refreshDays: 7,
    });
    await expect(elsewhere.read(access, 'access')).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
