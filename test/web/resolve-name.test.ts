import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createResolve, type ResolverParts } from '../../src/web/resolve-name.ts';
import { PATIENT } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { serveNames, type Zone } from './name-server.ts';

/** Milliseconds after which names without an answer are given up, long on the scale of these tests. */
const NEVER_MS = 60_000;

async function resolverFor(zone: Zone, parts: ResolverParts & { readonly isSilentInIpv6?: boolean } = {}) {
  const { isSilentInIpv6 = false, ...given } = parts;
  const server = await serveNames(zone, { isSilentInIpv6 });
  const asked: string[] = [];
  const resolve = createResolve({
    servers: [server.address],
    hostsFile: '/nowhere/hosts',
    askSystem: async (host) => {
      asked.push(host);
      return [];
    },
    ...given,
  });
  return { resolve, questions: server.questions, asked };
}

describe('a name', () => {
  it('is resolved by the name servers, in both families', async () => {
    const { resolve, asked } = await resolverFor({ 'site.example': ['2001:db8::7', '192.0.2.7', '192.0.2.8'] });
    expect(await resolve('site.example')).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '192.0.2.8', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]);
    expect(asked).toEqual([]);
  });

  it('whose servers never answer does not delay others', async () => {
    const silent = Array.from({ length: 50 }, (_, index) => `silent-${index}.example`);
    const zone = Object.fromEntries(silent.map((name) => [name, 'silent'] as const));
    const { resolve, questions, asked } = await resolverFor(
      { ...zone, 'site.example': ['192.0.2.7'] },
      { timeoutMs: 400 },
    );
    const settled: string[] = [];
    const waiting = silent.map((name) => resolve(name).catch((error: Error) => settled.push(error.message)));
    await expect.poll(() => silent.every((name) => questions.includes(name)), PATIENT).toBe(true);
    await Promise.all(waiting);
    expect(settled).toContain('the name servers did not answer for silent-0.example within 0.4 s');
    // They did not occupy the system's own look-ups either, of which Node runs two at a time.
    expect(asked).toEqual([]);
  });

  it('is resolved while others wait for their servers', async () => {
    const zone: Zone = { 'silent.example': 'silent', 'site.example': ['192.0.2.7'] };
    const { resolve, questions } = await resolverFor(zone, { timeoutMs: 2_000 });
    let isGivenUp = false;
    const waiting = resolve('silent.example').catch(() => {
      isGivenUp = true;
    });
    await expect.poll(() => questions.includes('silent.example'), PATIENT).toBe(true);
    expect(await resolve('site.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(isGivenUp).toBe(false);
    await waiting;
  });

  it('is used with the addresses of one family if the other is never answered', async () => {
    const { resolve } = await resolverFor(
      { 'site.example': ['192.0.2.7'] },
      { isSilentInIpv6: true, timeoutMs: NEVER_MS },
    );
    expect(await resolve('site.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  });

  it('that the servers do not know is resolved by the system, one at a time', async () => {
    let running = 0;
    let max = 0;
    const askSystem: ResolverParts['askSystem'] = async (host) => {
      running += 1;
      max = Math.max(max, running);
      await sleep(20);
      running -= 1;
      return host.includes('.') ? [] : [{ address: '10.0.0.7', family: 4 }];
    };
    const { resolve } = await resolverFor({}, { askSystem, timeoutMs: NEVER_MS });
    const unknown = expect(resolve('unknown.example')).rejects.toThrow('there is no host named unknown.example');
    const found = await Promise.all(['printer', 'scanner', 'printer'].map(resolve));
    expect(found.flat().map(({ address }) => address)).toEqual(['10.0.0.7', '10.0.0.7', '10.0.0.7']);
    await unknown;
    expect(max).toBe(1);
  });

  it('that the servers do not know is resolved by the system, also if one family is never answered', async () => {
    const { resolve, asked } = await resolverFor({}, { isSilentInIpv6: true, timeoutMs: NEVER_MS });
    await expect(resolve('printer')).rejects.toThrow('there is no host named printer');
    expect(asked).toEqual(['printer']);
  });

  it('waits for the system’s resolver for a limited time', async () => {
    const { resolve } = await resolverFor({}, { askSystem: () => new Promise(() => {}), timeoutMs: 400 });
    await Promise.all(
      ['printer', 'scanner'].map((name) =>
        expect(resolve(name)).rejects.toThrow(`did not answer for ${name} within 0.4 s`),
      ),
    );
  });

  it('is taken from the hosts file first, which is read again when it changes', async () => {
    const hostsFile = join(await temporaryFolder(), 'hosts');
    const { resolve, questions } = await resolverFor({ 'wiki.intern': ['192.0.2.1'] }, { hostsFile });
    expect(await resolve('wiki.intern')).toEqual([{ address: '192.0.2.1', family: 4 }]);
    await writeFile(
      hostsFile,
      '# 192.0.2.3 wiki.intern\n192.0.2.2\tdocs Wiki.intern # both\n2001:db8::2 wiki.intern\n',
    );
    expect(await resolve('wiki.intern')).toEqual([
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::2', family: 6 },
    ]);
    expect(new Set(questions)).toEqual(new Set(['wiki.intern']));
    expect(questions).toHaveLength(2);
  });

  it.each(['localhost', 'app.localhost'])('of this machine is never sent to name servers: %s', async (name) => {
    const { resolve, questions } = await resolverFor({ [name]: ['192.0.2.1'] });
    expect((await resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect(questions).toEqual([]);
  });
});
