import { expect, it, onTestFinished, vi } from 'vitest';
import { openWeb } from '../../../src/adapters/open-web.ts';
import { createExternalResources } from '../../../src/mcp/external-resources.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { startCitewell } from '../../http/support/start-citewell.ts';
import { PATIENT } from '../../support/patience.ts';
import { DATED, describeResources, handbook, offered, overHttp, picture, table } from './resources-contract.ts';

describeResources('over HTTP', overHttp);

it('are followed: new, changed and gone ones, and dated ones are read once', async () => {
  const requests: string[] = [];
  const { file, offers } = await offered({ resources: [handbook, table, picture] });
  const web = openWeb({ openHosts: [], obeysRobots: true, engines: [] }, { analyse, analyseQuery });
  onTestFinished(() => web.close());
  const mcpResources = createExternalResources({ servers: [await overHttp(file, requests)], version: '1.0.0' });
  const options = { web, mcpResources, isRequired: true, hasTestAdmin: true, resumes: true };
  const server = await startCitewell(options);
  onTestFinished(server.close);
  const call = async (method: string, path: string, token: string, body?: unknown) => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  const login = { username: 'admin@example.com', password: 'change_me_immediately' };
  const admin = (await call('POST', '/users/login', '', login)).body.results.access_token.token as string;
  const person = { email: 'ada@example.org', password: 'a long pass phrase' };
  await call('POST', '/users', admin, person);
  const form = { username: person.email, password: person.password };
  const ada = (await call('POST', '/users/login', '', form)).body.results.access_token.token as string;
  // The server is reached with access of the service.
  expect((await call('POST', '/sources', ada, { kind: 'mcp', address: 'mcp://library' })).status).toBe(403);
  const unknown = await call('POST', '/sources', admin, { kind: 'mcp', address: 'mcp://other' });
  expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('There are: library')]);

  const { id } = (await call('POST', '/sources', admin, { kind: 'mcp', address: 'mcp://library' })).body.results;
  const over = async () => {
    const read = async () => (await call('GET', `/sources/${id}`, admin)).body.results;
    await vi.waitFor(async () => expect((await read()).state).not.toBe('syncing'), PATIENT);
    return read();
  };
  expect(await over()).toMatchObject({ problem: null, last_sync: { counts: { ingested: 3 }, failures: [] } });
  requests.length = 0;
  const changed = { ...table, text: 'zone,fare\n1,2.80' };
  const weirs = { uri: 'library://weirs', mimeType: 'text/plain', text: 'A weir dams a river.', lastModified: DATED };
  await offers({ resources: [handbook, changed, weirs] });
  expect((await call('POST', `/sources/${id}/sync`, admin)).status).toBe(202);
  expect((await over()).last_sync.counts).toEqual({ unchanged: 1, replaced: 1, ingested: 1, removed: 1 });
  expect(requests).not.toContain(`read ${handbook.uri}`);
  expect(requests).not.toContain('templates');
  await call('POST', `/sources/${id}/sync`, admin);
  expect((await over()).last_sync.counts).toEqual({ unchanged: 3 });
  const { results } = (await call('GET', '/documents', admin)).body;
  expect(results.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'Handbook "v1"',
    'library://tables/fares.csv',
    'library://weirs',
  ]);
  const text = await call('GET', `/documents/${results[0].id}/text`, admin);
  expect(text.status).toBe(200);
});
