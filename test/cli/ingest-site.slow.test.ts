import { describe, expect, it } from 'vitest';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { serve } from '../web/support.ts';

const text = (about: string) =>
  `<!doctype html><title>${about}</title><main><h1>${about}</h1><p>What is said here of ${about} is said in one sentence, and then in one more.</p>`;

async function site() {
  const files: Record<string, string> = {
    '/docs/': `${text('rivers')}<a href="mills">mills</a> <a href="/elsewhere">elsewhere</a>`,
    '/docs/mills': `${text('mills')}<a href="lamps">lamps</a>`,
    '/docs/lamps': text('lamps'),
    '/elsewhere': text('elsewhere'),
  };
  const server = await serve((request, response) => {
    const file =
      request.url === '/sitemap.xml'
        ? `<urlset><url><loc>${server.url}/docs/lamps</loc></url></urlset>`
        : files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(file);
  });
  return server;
}

const documents = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"document"'))
    .map((line) => JSON.parse(line) as { name: string; outcome: string })
    .map(({ name, outcome }) => [new URL(name).pathname, outcome])
    // Several pages are ingested concurrently, in no fixed order.
    .toSorted();

describe('citewell ingest with an address', () => {
  it('follows the links of one site, below its folder', async () => {
    const { url } = await site();
    const cwd = await temporaryFolder();
    const args = ['ingest', `${url}/docs/`, '--crawl-depth', '1', '--allow-private-addresses', '--json'];
    const { code, stdout } = await runCitewell(args, { cwd });
    expect(documents(stdout)).toEqual([
      ['/docs/', 'ingested'],
      ['/docs/mills', 'ingested'],
    ]);
    expect(code).toBe(0);
  });

  it('ingests the pages of a sitemap, and pages of a host that the settings allow', async () => {
    const { url, port } = await site();
    const cwd = await temporaryFolder();
    const env = { CITEWELL_ALLOW_HOSTS: `127.0.0.1:${port}` };
    const { code, stdout } = await runCitewell(['ingest', url, '--sitemap', '--json'], { cwd, env });
    expect(documents(stdout)).toEqual([['/docs/lamps', 'ingested']]);
    expect(code).toBe(0);
  });

  it('refuses a private address, and options that contradict each other', async () => {
    const { url, connections } = await site();
    const cwd = await temporaryFolder();
    const refused = await runCitewell(['ingest', `${url}/docs/`], { cwd });
    expect(refused.stderr).toContain('is not an address of the public internet');
    const both = await runCitewell(['ingest', url, '--sitemap', '--crawl-depth', '2'], { cwd });
    expect(both.stderr).toContain('not both');
    expect([refused.code, both.code].every((code) => code !== 0)).toBe(true);
    expect(connections()).toBe(0);
  });
});
