import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import { textOf } from './support/citewell-mcp.ts';
import { startInProcess } from './support/in-process.ts';

const TEXT = '# Ferry\n\nThe ferry carries sheep on Thursdays. It never sails at night.';

async function searchOver(http: object) {
  const mcp = await startInProcess({ http });
  const id = await mcp.add('Ferry', TEXT);
  const client = await mcp.connect();
  return { id, origin: new URL(mcp.url).origin, client, mcp };
}

interface Linked {
  readonly link?: string;
  readonly start_char: number;
  readonly end_char: number;
}

describe('links to the page', () => {
  it('begin with the address of the request, in every result, and mark the passage', async () => {
    const { id, origin, client } = await searchOver({ servesPage: true });
    const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
    const found = await call('search_file_knowledge', { query: 'sheep on the ferry' });
    const [first] = (found.structuredContent as { results: Linked[] }).results;
    expect(first?.link).toBe(`${origin}/d/${id}?q=${first?.start_char}-${first?.end_char}`);
    expect(textOf(found)).toContain(`${origin}/d/${id.slice(0, 8)}:0`);
    const checked = await call('check_citations', { answer: 'The ferry carries sheep on Thursdays.' });
    const [statement] = (checked.structuredContent as { statements: { evidence: Linked }[] }).statements;
    expect(statement?.evidence.link).toMatch(new RegExp(`^${origin}/d/${id}\\?q=\\d+-\\d+$`));
    expect(textOf(checked)).toContain(statement?.evidence.link);
    const answered = await call('rag', { query: 'What does the ferry carry on Thursdays?' });
    const [citation] = (answered.structuredContent as { citations: Linked[] }).citations;
    expect(citation?.link).toMatch(new RegExp(`^${origin}/d/${id}\\?q=\\d+-\\d+`));
    expect(textOf(answered)).toContain(citation?.link);
    for (const name of ['content', 'get_file_content']) {
      expect(textOf(await call(name, { document_id: id }))).toContain(`${origin}/d/${id.slice(0, 8)}`);
    }
    expect(textOf(await call('search_file_descriptions', {}))).toContain(`${origin}/d/${id.slice(0, 8)}`);
  });

  it('are left out where no server with the page is known', async () => {
    const { client } = await searchOver({});
    const found = await client.callTool({ name: 'search_file_knowledge', arguments: { query: 'sheep' } });
    expect(textOf(found)).not.toContain('/d/');
    expect((found.structuredContent as { results: Linked[] }).results[0]?.link).toBeUndefined();
  });

  it('never begin with a name that the server does not answer to', async () => {
    const { mcp } = await searchOver({ servesPage: true });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    const { request } = await import('node:http');
    const statusOf = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        request(mcp.url, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end(body);
      });
    expect(await statusOf('localhost')).toBe(200);
    for (const host of ['evil.example', 'localhost@evil.example', 'evil.example/localhost']) {
      expect(await statusOf(host), host).toBe(403);
    }
  });
});

describe('a short link', () => {
  it('redirects to the document, with the chunk marked; others get the page', async () => {
    const http = await startCitewell();
    try {
      const body = JSON.stringify({ raw_text: TEXT });
      const headers = { 'content-type': 'application/json' };
      const created = await fetch(`${http.url}/v3/documents`, { method: 'POST', headers, body });
      const { results } = (await created.json()) as { results: { document_id: string } };
      const id = results.document_id;
      const follow = (path: string) => fetch(`${http.url}/d/${path}`, { redirect: 'manual' });
      const toChunk = await follow(`${id.slice(0, 8)}:0`);
      expect([toChunk.status, toChunk.headers.get('location')]).toEqual([302, `/d/${id}?q=0-${TEXT.length}`]);
      const toDocument = await follow(id.slice(0, 8));
      expect(toDocument.headers.get('location')).toBe(`/d/${id}`);
      for (const path of ['00000000:0', id, '%2e%2e']) expect((await follow(path)).status, path).not.toBe(302);
    } finally {
      await http.close();
    }
  });

  it('leads to the page without credentials, which asks for the sign-in', async () => {
    const http = await startCitewell({
      authenticate: async () => {
        throw new ServiceError('unauthenticated', 'Credentials are needed.');
      },
    });
    try {
      const follow = await fetch(`${http.url}/d/1f0c9a2b:0`, { redirect: 'manual' });
      expect([follow.status, follow.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect((await fetch(`${http.url}/v3/documents`)).status).toBe(401);
    } finally {
      await http.close();
    }
  });
});
