import { publicOnly } from '../web/address-rules.ts';
import { createCrawlPolicy, defaultCrawlPolicy } from '../web/crawl-policy.ts';
import { createWebPages } from '../web/create-web-pages.ts';
import { createWebSearch } from '../web/create-web-search.ts';
import { createPageFetcher } from '../web/page-fetcher.ts';
import { createPageRenderer } from '../web/render-page.ts';
import type { TermAnalyser } from '../web/select-chunks.ts';
import type { Web } from '../web/web.ts';
import type { ReadPage } from '../web/web-pages.ts';
import { enginesOf, type WebSettings } from '../web/web-settings.ts';

/** Makes no connection before first use. */
const readPageLazily: ReadPage = async (...page) => (await import('../ingest/read-web-page.ts')).readWebPage(...page);

/** Nothing is contacted before something is asked for. */
export function openWeb(settings: WebSettings, analyser: TermAnalyser): Web & { close(): Promise<void> } {
  const fetcher = createPageFetcher({ rules: { ...publicOnly, open: settings.openHosts } });
  const crawlPolicy = createCrawlPolicy(fetcher, { ...defaultCrawlPolicy, obeysRobots: settings.obeysRobots });
  const engines = enginesOf(settings);
  const search = engines.length === 0 ? undefined : createWebSearch({ engines });
  const publicFetcher = settings.openHosts.length === 0 ? undefined : createPageFetcher({ rules: publicOnly });
  const renderer =
    settings.browser === undefined
      ? undefined
      : createPageRenderer({ executablePath: settings.browser, fetcher, publicFetcher });
  const webPages = createWebPages({
    ...{ fetcher, crawlPolicy, analyser, readPage: readPageLazily },
    ...(renderer && { render: renderer.render }),
  });
  return {
    webPages,
    ...(search && { webSearch: search }),
    sites: { fetcher, crawlPolicy },
    async fetchPage(address, { known: _, ...options }) {
      const page = await fetcher.fetch(address, options);
      if (page === 'unchanged') throw new Error('A page that is not known cannot be unchanged.');
      return page;
    },
    async close() {
      await Promise.all([search?.close(), renderer?.close()]);
      await Promise.all([fetcher.close(), publicFetcher?.close()]);
    },
  };
}
