import { createPageReaders } from '../ingest/page-readers.ts';
import { publicOnly } from '../web/address-rules.ts';
import { createCrawlPolicy, defaultCrawlPolicy } from '../web/crawl-policy.ts';
import { createWebPages } from '../web/create-web-pages.ts';
import { createWebSearch } from '../web/create-web-search.ts';
import { createPageFetcher } from '../web/page-fetcher.ts';
import { createRemoteNetwork } from '../web/remote-network.ts';
import { createPageRenderer } from '../web/render-page.ts';
import type { TermAnalyser } from '../web/select-chunks.ts';
import type { Web } from '../web/web.ts';
import { enginesOf, type WebSettings } from '../web/web-settings.ts';

/** Opens web access. Makes no connection before the first request. */
export function openWeb(settings: WebSettings, analyser: TermAnalyser): Web & { close(): Promise<void> } {
  const proxied = settings.proxy === undefined ? {} : { proxy: settings.proxy };
  const fetcher = createPageFetcher({ rules: { ...publicOnly, open: settings.openHosts }, ...proxied });
  const network = createRemoteNetwork({ rules: { ...publicOnly, open: settings.openHosts }, ...proxied });
  const crawlPolicy = createCrawlPolicy(fetcher, { ...defaultCrawlPolicy, obeysRobots: settings.obeysRobots });
  const engines = enginesOf(settings);
  const search = engines.length === 0 ? undefined : createWebSearch({ engines, ...proxied });
  const publicFetcher =
    settings.openHosts.length === 0 ? undefined : createPageFetcher({ rules: publicOnly, ...proxied });
  const renderer =
    settings.browser === undefined
      ? undefined
      : createPageRenderer({ executablePath: settings.browser, fetcher, publicFetcher });
  const readers = createPageReaders();
  const webPages = createWebPages({
    fetcher,
    crawlPolicy,
    analyser,
    readPage: readers.readPage,
    ...(renderer && { render: renderer.render }),
  });
  return {
    webPages,
    ...(search && { webSearch: search }),
    network,
    sites: { fetcher, crawlPolicy, siteReader: readers },
    async fetchPage(address, { known: _, ...options }) {
      const page = await fetcher.fetch(address, options);
      if (page === 'unchanged') throw new Error('A page that is not known cannot be unchanged.');
      return page;
    },
    async close() {
      await Promise.all([search?.close(), renderer?.close(), readers.close()]);
      await Promise.all([fetcher.close(), publicFetcher?.close(), network.close()]);
    },
  };
}
