import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AccessTokens, createAccessTokens } from '../../src/access/access-tokens.ts';
import { defaultAdmin } from '../../src/access/principal.ts';
import { ServiceError } from '../../src/errors.ts';
import { type OAuthIssuer, startIssuer } from '../support/oauth-issuer.ts';

const audience = 'https://kb.example.org/mcp';
const resource = () => audience;

let issuer: OAuthIssuer;
let tokens: AccessTokens;
beforeAll(async () => {
  issuer = await startIssuer();
  tokens = createAccessTokens({ issuer: issuer.issuer, resource });
});
afterAll(() => issuer.close());

async function refusalOf(token: string, by: AccessTokens = tokens): Promise<ServiceError> {
  const error: unknown = await by.verify(token).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error;
}

/** The token with one part changed and the other parts as signed. */
function tampered(token: string, change: (payload: Record<string, unknown>) => object): string {
  const [header, payload = '', signature] = token.split('.');
  const changed = change(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}

describe('an access token', () => {
  it('always maps to the same user, distinct from all others and not a superuser', async () => {
    const alice = await tokens.verify(await issuer.token({ subject: 'alice', audience }));
    expect(await tokens.verify(await issuer.token({ subject: 'alice', audience: ['x', audience] }))).toEqual(alice);
    expect(alice).toMatchObject({ email: 'alice', isSuperuser: false });
    const others = await Promise.all(
      ['Alice', 'bob', defaultAdmin.email, defaultAdmin.userId].map(async (subject) =>
        tokens.verify(await issuer.token({ subject, audience })),
      ),
    );
    const ids = [alice, ...others, defaultAdmin].map(({ userId }) => userId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(others.some(({ isSuperuser }) => isSuperuser)).toBe(false);
  });

  it.each<[string, () => Promise<string>]>([
    ['made out to another server', () => issuer.token({ subject: 'a', audience: 'https://other.example.org/mcp' })],
    ['made out to nobody', () => issuer.token({ subject: 'a' })],
    ['of another issuer', () => issuer.token({ subject: 'a', audience, issuer: 'https://evil.example.org' })],
    ['of nobody', () => issuer.token({ audience })],
    ['of the empty name', () => issuer.token({ subject: '', audience })],
    ['that never expires', () => issuer.token({ subject: 'a', audience, expiresIn: null })],
    ['that is not good yet', () => issuer.token({ subject: 'a', audience, notBefore: 60 })],
    ['signed by someone else', () => issuer.token({ subject: 'a', audience, isForged: true })],
    [
      'whose subject was changed afterwards',
      async () => tampered(await issuer.token({ subject: 'a', audience }), (payload) => ({ ...payload, sub: 'b' })),
    ],
    [
      'whose signature was taken away',
      async () => `${(await issuer.token({ subject: 'a', audience })).split('.').slice(0, 2).join('.')}.`,
    ],
    [
      'without any signature',
      async () =>
        new UnsecuredJWT({ sub: 'a' }).setIssuer(issuer.issuer).setAudience(audience).setExpirationTime('5m').encode(),
    ],
    [
      'signed with the public key as if it were a secret',
      () =>
        new SignJWT({ sub: 'a' })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .setIssuer(issuer.issuer)
          .setAudience(audience)
          .setExpirationTime('5m')
          .sign(new TextEncoder().encode(issuer.published)),
    ],
    ['that is no token', async () => 'not-a-token-at-all'],
    ['that is three dots', async () => '...'],
  ])('%s is refused', async (_what, make) => {
    const token = await make();
    const error = await refusalOf(token);
    expect(error.code).toBe('unauthenticated');
    expect(error.message).toMatch(/^Invalid token/);
    expect(error.message).not.toContain(token);
    expect(error.challenge).toContain('error="invalid_token"');
    expect(error.challenge).toContain(
      'resource_metadata="https://kb.example.org/.well-known/oauth-protected-resource/mcp"',
    );
  });

  it('is rejected with the error that clients recognise when it has expired', async () => {
    const error = await refusalOf(await issuer.token({ subject: 'a', audience, expiresIn: -60 }));
    expect(error.code).toBe('token_expired');
    expect(error.message.toLowerCase()).toContain('token expired');
    // Only the holder of a formerly valid token learns that it has expired.
    const forged = await issuer.token({ subject: 'a', audience, expiresIn: -60, isForged: true });
    expect((await refusalOf(forged)).code).toBe('unauthenticated');
  });
});

describe('the issuer', () => {
  it('is queried once for many tokens, and never for tokens of other issuers', async () => {
    const fresh = await startIssuer();
    onTestFinished(() => fresh.close());
    const own = createAccessTokens({ issuer: fresh.issuer, resource });
    await refusalOf('garbage', own);
    await refusalOf(await issuer.token({ subject: 'a', audience }), own);
    expect([...fresh.asked]).toEqual([]);
    const token = await fresh.token({ subject: 'a', audience });
    await Promise.all(Array.from({ length: 20 }, () => own.verify(token)));
    expect([...fresh.asked.values()]).toEqual([1, 1]);
  });

  it('may publish OpenID Connect metadata', async () => {
    const openid = await startIssuer({ metadata: 'openid' });
    onTestFinished(() => openid.close());
    const own = createAccessTokens({ issuer: openid.issuer, resource });
    expect(await own.verify(await openid.token({ subject: 'a', audience }))).toMatchObject({ email: 'a' });
  });

  it('must have the issuer name of the settings in its metadata', async () => {
    const otherIssuer = await startIssuer({ claims: 'https://login.example.org' });
    onTestFinished(() => otherIssuer.close());
    const own = createAccessTokens({ issuer: otherIssuer.issuer, resource });
    const error = await refusalOf(await otherIssuer.token({ subject: 'a', audience }), own);
    expect(error.code).toBe('provider_failed');
    expect(error.message).toContain('CITEWELL_OAUTH_ISSUER');
  });

  it('authenticates nobody while it does not answer', async () => {
    const broken = await startIssuer();
    onTestFinished(() => broken.close());
    broken.isBroken = true;
    const own = createAccessTokens({ issuer: broken.issuer, resource });
    const token = await broken.token({ subject: 'a', audience });
    expect((await refusalOf(token, own)).code).toBe('provider_failed');
    const asked = [...broken.asked.values()].reduce((sum, count) => sum + count, 0);
    expect((await refusalOf(token, own)).code).toBe('provider_failed');
    expect([...broken.asked.values()].reduce((sum, count) => sum + count, 0)).toBe(asked);
  });
});
