import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface TokenOptions {
  readonly subject?: string;
  readonly audience?: string | readonly string[];
  readonly issuer?: string;
  /** Seconds from now; null omits the claim. */
  readonly expiresIn?: number | null;
  readonly notBefore?: number;
  /** Signed with a key that the issuer does not publish. */
  readonly isForged?: boolean;
}

export interface OAuthIssuer {
  readonly issuer: string;
  /** Number of requests received per path. */
  readonly asked: ReadonlyMap<string, number>;
  /** Signs an access token. */
  token(options: TokenOptions): Promise<string>;
  /** The public key in its published form, for attacks that use it as an HMAC secret. */
  readonly published: string;
  /** Whether requests are answered with errors. */
  isBroken: boolean;
  close(): Promise<void>;
}

interface IssuerOptions {
  /** Location of the metadata: RFC 8414, or OpenID Connect only. */
  readonly metadata?: 'oauth' | 'openid';
  /** Issuer name that the metadata claims in place of its own. */
  readonly claims?: string;
}

/** An authorization server over loopback with the endpoints a resource server needs: metadata and keys. */
export async function startIssuer({ metadata = 'oauth', claims }: IssuerOptions = {}): Promise<OAuthIssuer> {
  const [own, stranger] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const asked = new Map<string, number>();
  const path =
    metadata === 'oauth' ? '/.well-known/oauth-authorization-server/realm' : '/realm/.well-known/openid-configuration';
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.set(url, (asked.get(url) ?? 0) + 1);
    const body =
      url === path
        ? { issuer: claims ?? issuer, jwks_uri: `${origin}/keys`, token_endpoint: `${origin}/token` }
        : url === '/keys'
          ? { keys: [jwk] }
          : undefined;
    const status = self.isBroken ? 500 : body === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}/realm`;
  const self: OAuthIssuer = {
    issuer,
    asked,
    published: JSON.stringify(jwk),
    isBroken: false,
    token({ subject, audience, issuer: by = issuer, expiresIn = 300, notBefore, isForged = false }) {
      const now = Math.floor(Date.now() / 1000);
      const payload: JWTPayload = {
        iss: by,
        iat: now,
        ...(subject === undefined ? {} : { sub: subject }),
        ...(audience === undefined ? {} : { aud: [audience].flat() }),
        ...(expiresIn === null ? {} : { exp: now + expiresIn }),
        ...(notBefore === undefined ? {} : { nbf: now + notBefore }),
      };
      const signer = new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' });
      return signer.sign(isForged ? stranger.privateKey : own.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return self;
}
