import { ServiceError } from '../errors.ts';
import type { RenderPage } from './create-web-pages.ts';
import type { FetchedPage, PageFetcher } from './page-fetcher.ts';

export interface RendererParts {
  /** Program of a Chromium, or of a Chrome. */
  readonly executablePath: string;
  /** Everything a page asks for goes through this, so that scripts reach no further than a fetch does. */
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
}

export interface PageRenderer {
  readonly render: RenderPage;
  close(): Promise<void>;
}

/** As much of playwright-core as is used; the package is an optional peer and may be missing. */
interface Chromium {
  launch(options: object): Promise<Browser>;
}
interface Browser {
  newContext(options: object): Promise<Context>;
  isConnected(): boolean;
  close(): Promise<void>;
}
interface Context {
  route(pattern: string, handler: (route: Route) => Promise<void>): Promise<void>;
  routeWebSocket(pattern: string, handler: (socket: { close(): Promise<void> }) => void): Promise<void>;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}
interface Page {
  goto(address: string, options: object): Promise<unknown>;
  waitForLoadState(state: string, options: object): Promise<void>;
  content(): Promise<string>;
  url(): string;
}
interface Route {
  request(): { url(): string; method(): string; resourceType(): string };
  abort(reason?: string): Promise<void>;
  fulfill(response: object): Promise<void>;
}

const PACKAGE = 'playwright-core';
const LOAD_TIMEOUT_MS = 15_000;
const SETTLE_TIMEOUT_MS = 4_000;
const MOST_REQUESTS = 150;
const MOST_BYTES = 8_000_000;
/** What text depends on; pictures, fonts and films are not loaded. */
const LOADED: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch', 'stylesheet', 'preflight']);

/**
 * Pages after their scripts ran, in a headless Chromium without a network of its own: every request of a page is made by
 * our fetcher, under the same rules, and what would go past it (sockets, WebRTC, its own lookups) leads nowhere.
 */
export function createPageRenderer({ executablePath, fetcher }: RendererParts): PageRenderer {
  let running: Promise<Browser> | undefined;

  const browser = async (): Promise<Browser> => {
    const known = await running?.catch(() => undefined);
    if (known?.isConnected()) return known;
    running = launch(executablePath);
    return running;
  };

  return {
    async render(address, signal) {
      const context = await (await browser()).newContext({
        acceptDownloads: false,
        serviceWorkers: 'block',
        javaScriptEnabled: true,
        ignoreHTTPSErrors: false,
      });
      const leave = () => void context.close().catch(() => undefined);
      signal.addEventListener('abort', leave, { once: true });
      try {
        let requests = 0;
        await context.routeWebSocket('**', (socket) => void socket.close());
        await context.route('**', async (route) => {
          requests += 1;
          if (requests > MOST_REQUESTS) return route.abort();
          await answer(route, { fetcher, signal });
        });
        const page = await context.newPage();
        await page.goto(address, { waitUntil: 'domcontentloaded', timeout: LOAD_TIMEOUT_MS });
        // A page that never comes to rest is taken as it is.
        await page.waitForLoadState('networkidle', { timeout: SETTLE_TIMEOUT_MS }).catch(() => undefined);
        const html = await page.content();
        return rendered(page.url(), html);
      } catch (error) {
        signal.throwIfAborted();
        throw new ServiceError('provider_failed', `${address} could not be rendered.`, { cause: error });
      } finally {
        signal.removeEventListener('abort', leave);
        await context.close().catch(() => undefined);
      }
    },
    async close() {
      const known = await running?.catch(() => undefined);
      await known?.close();
    },
  };
}

async function answer(
  route: Route,
  { fetcher, signal }: { readonly fetcher: Pick<PageFetcher, 'fetch'>; readonly signal: AbortSignal },
): Promise<void> {
  const request = route.request();
  // A page that is only read has nothing to send.
  if (request.method() !== 'GET' || !LOADED.has(request.resourceType())) return route.abort();
  try {
    const fetched = await fetcher.fetch(request.url(), { signal, maxBytes: MOST_BYTES, timeoutMs: LOAD_TIMEOUT_MS });
    if (fetched === 'unchanged') return await route.abort();
    const charset = fetched.charset === undefined ? '' : `; charset=${fetched.charset}`;
    await route.fulfill({
      status: 200,
      contentType: `${fetched.mediaType ?? 'application/octet-stream'}${charset}`,
      headers: { 'access-control-allow-origin': '*' },
      body: Buffer.from(fetched.bytes),
    });
  } catch {
    await route.abort().catch(() => undefined);
  }
}

async function launch(executablePath: string): Promise<Browser> {
  const { chromium } = await loadPlaywright();
  try {
    return await chromium.launch({
      executablePath,
      headless: true,
      env: {},
      args: [
        // Nothing listens there: what is not answered by us goes nowhere.
        '--proxy-server=http://127.0.0.1:9',
        '--proxy-bypass-list=<-loopback>',
        '--host-resolver-rules=MAP * ~NOTFOUND',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-background-networking',
        '--disable-sync',
        '--disable-component-update',
      ],
    });
  } catch (error) {
    const message = `The browser ${executablePath} could not be started; see CITEWELL_BROWSER.`;
    throw new ServiceError('not_configured', message, { cause: error });
  }
}

async function loadPlaywright(): Promise<{ readonly chromium: Chromium }> {
  try {
    const loaded: { readonly chromium: Chromium } = await import(PACKAGE);
    return loaded;
  } catch (error) {
    throw new ServiceError(
      'not_configured',
      'CITEWELL_BROWSER is set, but the package playwright-core is not installed. Run: npm install playwright-core',
      { cause: error },
    );
  }
}

const rendered = (url: string, html: string): FetchedPage => ({
  url,
  bytes: Buffer.from(html, 'utf8'),
  mediaType: 'text/html',
  charset: 'utf-8',
  fileName: 'page.html',
  validators: {},
  hops: [url],
});
