import { ServiceError } from '../errors.ts';
import { readAddress } from './address-rules.ts';
import type { CrawlPolicy } from './crawl-policy.ts';
import { PageCache } from './page-cache.ts';
import type { FetchedPage, FetchOptions, PageFetcher } from './page-fetcher.ts';
import { selectChunks, type TermAnalyser } from './select-chunks.ts';
import type { ReadPage, WebPage, WebPages } from './web-pages.ts';

/** Renders a page in a browser, see render-page.ts. */
export type RenderPage = (address: string, options: RenderOptions) => Promise<FetchedPage>;

export type RenderOptions = Pick<FetchOptions, 'signal' | 'admit'>;

export interface WebPagesParts {
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  readonly crawlPolicy: Pick<CrawlPolicy, 'admit'>;
  readonly readPage: ReadPage;
  readonly analyser: TermAnalyser;
  /** Present if a browser is configured. */
  readonly render?: RenderPage;
  readonly cache?: PageCache;
}

const MAX_BYTES = 20_000_000;
const TIMEOUT_MS = 25_000;

export function createWebPages(parts: WebPagesParts): WebPages {
  const { fetcher, crawlPolicy, readPage, analyser, render, cache = new PageCache() } = parts;
  return {
    async read(address, { signal, mayContact }) {
      const url = readAddress(address);
      const known = cache.get(url.href);
      if (known?.isFresh && mayContact?.(new URL(known.page.finalUrl)) !== false)
        return { ...known.page, url: address };
      const admit = async (hop: URL, waiting: AbortSignal): Promise<void> => {
        if (mayContact?.(hop) === false) throw notContacted(hop);
        await crawlPolicy.admit(hop, waiting);
      };
      const fetched = await fetcher.fetch(url.href, {
        signal,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        ...(known !== undefined && { known: known.validators }),
        admit,
      });
      if (fetched === 'unchanged') {
        cache.renew(url.href);
        if (known === undefined)
          throw new ServiceError(
            'provider_failed',
            `${url.href} answered 304 Not Modified to an unconditional request.`,
          );
        return { ...known.page, url: address };
      }
      const page = await toPage(fetched, address, { signal, admit });
      cache.put(url.href, page, fetched.validators, fetched.freshFor);
      return page;
    },
    chunks: (text, query, maxCharacters) => selectChunks({ text, query, maxCharacters, analyser }),
  };

  async function toPage(fetched: FetchedPage, address: string, options: RenderOptions): Promise<WebPage> {
    const { signal } = options;
    const content = await readPage(fetched, signal);
    const common = {
      url: address,
      finalUrl: fetched.url,
      fetchedAt: new Date(),
      ...(fetched.mediaType !== undefined && { mediaType: fetched.mediaType }),
    };
    if (content.needsScripts !== true || render === undefined) return { ...content, ...common, isRendered: false };
    const rendered = await render(fetched.url, options);
    return { ...(await readPage(rendered, signal)), ...common, finalUrl: rendered.url, isRendered: true };
  }
}

const notContacted = ({ host }: URL): ServiceError =>
  new ServiceError('forbidden', `The page leads on to ${host}, which was named only by text of strangers.`);
