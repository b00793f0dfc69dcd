import { expect, onTestFinished, vi } from 'vitest';
import { openWeb } from '../../src/adapters/open-web.ts';
import type { RemoteNetwork } from '../../src/sources/connector.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { createSecretBox } from '../../src/store/secrets/secret-box.ts';
import { readOpenHost } from '../../src/web/open-hosts.ts';
import { type CitewellOptions, startCitewell } from '../http/support/start-citewell.ts';
import { PATIENT } from './patience.ts';

interface FollowingOptions extends Pick<CitewellOptions, 'folder' | 'database' | 'mcpResources'> {
  /** Port of a server on this machine that the service may reach. */
  readonly port?: string;
  readonly network?: RemoteNetwork;
}

/** Starts a service that may reach one server on this machine, or uses `network`, for tests of followed sources. */
export async function startFollowing({ port, network, ...options }: FollowingOptions) {
  const names = port === undefined ? [] : ['127.0.0.1', 'localhost'];
  const openHosts = names.flatMap((host) => readOpenHost(`${host}:${port}`) ?? []);
  const web = openWeb({ openHosts, obeysRobots: true, engines: [] }, { analyse, analyseQuery });
  onTestFinished(() => web.close());
  const secrets = createSecretBox(async () => 'k'.repeat(32));
  const server = await startCitewell({
    ...options,
    web: { ...web, ...(network && { network }) },
    secrets,
    resumes: true,
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  onTestFinished(close);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  const over = (id: string) =>
    vi.waitFor(async () => {
      const source = (await call('GET', `/sources/${id}`)).body.results;
      expect(source).not.toMatchObject({ state: 'syncing' });
      return source;
    }, PATIENT);
  return {
    call,
    close,
    /** Adds a source and waits for its first synchronisation to finish. */
    async add(source: object) {
      const { status, body } = await call('POST', '/sources', source);
      expect(status, JSON.stringify(body)).toBe(200);
      return over(body.results.id);
    },
    async sync(id: string) {
      expect((await call('POST', `/sources/${id}/sync`)).status).toBe(202);
      return over(id);
    },
    titles: async (): Promise<string[]> =>
      (await call('GET', '/documents')).body.results.map(({ title }: { title: string }) => title).toSorted(),
  };
}
