import { afterEach, describe, expect, it } from 'vitest';
import { startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';

const PASSWORD = 'a long pass phrase';
let server: RunningHttp;
afterEach(() => server.close());

const from = (address: string) => ({
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': address },
});
const login = (email: string, address: string, password = PASSWORD) =>
  server.post('/v3/users/login', `username=${email}&password=${encodeURIComponent(password)}`, from(address));

async function guessMany(addressOf: (each: number) => string): Promise<void> {
  await server.post('/v3/users', { email: 'ada@example.org', password: PASSWORD });
  for (let each = 0; each < 101; each++) await login(`nobody-${each}@example.org`, addressOf(each), 'a wrong guess');
}

describe('behind a trusted proxy', () => {
  it('a password guesser locks out nobody at another address', async () => {
    server = await startCitewell({ trustedProxies: ['127.0.0.1'] });
    await guessMany(() => '203.0.113.7');
    expect((await login('ada@example.org', '203.0.113.7')).status).toBe(429);
    expect((await login('ada@example.org', '203.0.113.8')).status).toBe(200);
    // The header value forged by the client comes before the address added by the proxy.
    expect((await login('bob@example.org', '198.51.100.9, 203.0.113.7')).status).toBe(429);
    expect(server.logged.filter(({ message }) => message.includes('CITEWELL_TRUSTED_PROXIES'))).toEqual([]);
  });
});

describe('without a trusted proxy', () => {
  it('forwarded addresses do not allow more guesses, and one warning names the setting', async () => {
    server = await startCitewell();
    await guessMany((each) => `203.0.113.${each}`);
    expect((await login('ada@example.org', '203.0.113.200')).status).toBe(429);
    expect(server.logged.filter(({ message }) => message.includes('CITEWELL_TRUSTED_PROXIES'))).toHaveLength(1);
  });
});
