import { createServer } from 'node:http';
import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';

// A child process that reads a page and crawls a site as the service does, and lists the packages it loaded.
const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
const { openWeb } = await import('../../src/adapters/open-web.ts');
const { ingestAll } = await import('../../src/ingest/ingest-all.ts');
const { analyse, analyseQuery } = await import('../../src/store/full-text/analyse.ts');

const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(request.url === '/robots.txt' ? '' : '<main><p>The river rose.</p><a href="/a">a</a></main>');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const base = `http://127.0.0.1:${port}`;

const open = { kind: 'network', network: '127.0.0.1', prefix: 32, port } as const;
const web = openWeb({ openHosts: [open], obeysRobots: true, engines: [] }, { analyse, analyseQuery });
const { signal } = new AbortController();
const { text } = await web.webPages.read(`${base}/`, { signal });
const passages = await web.webPages.chunks(text, 'river', 500);

const pages: string[] = [];
let read = 0;
const client = {
  ingest: async ({ bytes }: { readonly bytes: Uint8Array }) => {
    if (bytes.length > 0) read += 1;
    return { outcome: 'ingested', documentId: 'x' } as const;
  },
};
const steps = ingestAll([`${base}/`], {
  client,
  metadata: {},
  collections: [],
  dataFolder: '/nowhere',
  stop: signal,
  abandon: signal,
  ...(web.sites && { web: web.sites }),
  site: { kind: 'crawl', depth: 1, limit: 10 },
});
for await (const step of steps) if (step.type === 'result') pages.push(new URL(step.name).pathname);
await web.close();
server.close().closeAllConnections();
console.log(JSON.stringify({ text, passages, pages, read, loaded: [...loaded].sort() }));
