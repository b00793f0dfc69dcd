import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { openWeb } from '../../../src/adapters/open-web.ts';
import { createExternalResources } from '../../../src/mcp/external-resources.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { startCitewell } from '../../http/support/start-citewell.ts';
import { PATIENT } from '../../support/patience.ts';
import { DATED, handbook, offered, overHttp, picture, table } from './resources-contract.ts';

/** A service that may follow the resources of one server; its clients are the administrator, or Ada. */
async function startWithResources() {
  const requests: string[] = [];
  const { file, offers } = await offered({ resources: [handbook, table, picture] });
  const web = openWeb({ openHosts: [], obeysRobots: true, engines: [] }, { analyse, analyseQuery });
  onTestFinished(() => web.close());
  const mcpResources = createExternalResources({ servers: [await overHttp(file, requests)], version: '1.0.0' });
  const ada = { userId: 'ada', email: 'ada@example.org', isSuperuser: false, collectionIds: [] };
  const server = await startCitewell({
    web,
    mcpResources,
    authenticate: async ({ bearer }) => (bearer === 'ada' ? ada : defaultAdmin),
    resumes: true,
  });
  onTestFinished(server.close);
  const call = async (method: string, path: string, body?: unknown, token = 'admin') => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  return { call, offers, requests };
}

it('can be followed by superusers only, and from a server that is configured', async () => {
  const { call } = await startWithResources();
  // The server is reached with access of the service.
  expect((await call('POST', '/sources', { kind: 'mcp', address: 'mcp://library' }, 'ada')).status).toBe(403);
  const unknown = await call('POST', '/sources', { kind: 'mcp', address: 'mcp://other' });
  expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('There are: library')]);
});

it('are followed: new, changed and gone ones, and dated ones are read once', async () => {
  const { call, offers, requests } = await startWithResources();
  const { id } = (await call('POST', '/sources', { kind: 'mcp', address: 'mcp://library' })).body.results;
  const synchronised = async () => {
    const read = async () => (await call('GET', `/sources/${id}`)).body.results;
    await vi.waitFor(async () => expect((await read()).state).not.toBe('syncing'), PATIENT);
    return read();
  };
  expect(await synchronised()).toMatchObject({ problem: null, last_sync: { counts: { ingested: 3 }, failures: [] } });
  requests.length = 0;
  const changed = { ...table, text: 'zone,fare\n1,2.80' };
  const weirs = { uri: 'library://weirs', mimeType: 'text/plain', text: 'A weir dams a river.', lastModified: DATED };
  await offers({ resources: [handbook, changed, weirs] });
  expect((await call('POST', `/sources/${id}/sync`)).status).toBe(202);
  expect((await synchronised()).last_sync.counts).toEqual({ unchanged: 1, replaced: 1, ingested: 1, removed: 1 });
  expect(requests).not.toContain(`read ${handbook.uri}`);
  expect(requests).not.toContain('templates');
  await call('POST', `/sources/${id}/sync`);
  expect((await synchronised()).last_sync.counts).toEqual({ unchanged: 3 });
  const { results } = (await call('GET', '/documents')).body;
  expect(results.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'Handbook "v1"',
    'library://tables/fares.csv',
    'library://weirs',
  ]);
  expect((await call('GET', `/documents/${results[0].id}/text`)).status).toBe(200);
});
