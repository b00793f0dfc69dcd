import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { changedText, numbers, textOf } from './items.ts';
import type { MeasuredSource } from './sources.ts';

/** A web site with a sitemap that lists a page for each item. */
export async function startSite(items: number): Promise<MeasuredSource> {
  const pages = new Map(numbers(items).map((number) => [`/item-${number}.html`, pageOf(number, textOf(number))]));
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const path = request.url ?? '';
    const isSitemap = path === '/sitemap.xml';
    const body = isSitemap ? sitemapOf(origin(), [...pages.keys()]) : pages.get(path);
    const type = isSitemap ? 'application/xml' : 'text/html; charset=utf-8';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body ?? 'Not found');
  });
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `${origin()}/sitemap.xml`,
    credentials: {},
    env: { CITEWELL_ALLOW_HOSTS: new URL(origin()).host },
    keepsRemoved: true,
    requests: () => requests,
    async change(changed, removed) {
      for (const number of numbers(changed)) pages.set(`/item-${number}.html`, pageOf(number, changedText(number)));
      for (const number of numbers(removed, changed)) pages.delete(`/item-${number}.html`);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pageOf(number: number, text: string): string {
  const paragraph = text.split('\n')[2] ?? '';
  const title = `Item ${number}`;
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>${paragraph}</p></body></html>`;
}

const sitemapOf = (origin: string, paths: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${origin}${path}</loc></url>`)
    .join('')}</urlset>`;
