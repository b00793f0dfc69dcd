import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { readAddress } from './address-rules.ts';
import { type Browser, type BrowserContext, launchBrowser, type Page } from './browser.ts';
import type { RenderOptions, RenderPage } from './create-web-pages.ts';
import type { FetchedPage, PageFetcher } from './page-fetcher.ts';
import { createRenderedRequests, type RenderedRequests } from './rendered-requests.ts';

export interface RendererParts {
  /** Executable of Chromium or Chrome. */
  readonly executablePath: string;
  /** Answers all requests of the page, so that scripts reach no more than a fetch does. */
  readonly fetcher: Pick<PageFetcher, 'fetch'>;
  /** Used for pages of the public web if `fetcher` also reaches internal hosts. */
  readonly publicFetcher?: Pick<PageFetcher, 'fetch'> | undefined;
  /** Time limit for launching, loading and reading one page. */
  readonly timeoutMs?: number;
}

export interface PageRenderer {
  readonly render: RenderPage;
  /** Aborts rendering in progress; afterwards no browser runs. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 25_000;
const LOAD_TIMEOUT_MS = 15_000;
const SETTLE_TIMEOUT_MS = 4_000;
const MAX_CONCURRENT = 2;
const MAX_CHARACTERS = 8_000_000;

/**
 * Renders pages in a headless Chromium without network access: our fetchers answer each request of a page under the same
 * rules, and anything that would bypass them (sockets, WebRTC, DNS prefetch) fails. Each page gets its own browser.
 */
export function createPageRenderer(parts: RendererParts): PageRenderer {
  const turns = pLimit(MAX_CONCURRENT);
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    async render(address, options) {
      const url = readAddress(address).href;
      const rendering = turns(() => withTimeout(url, options, { parts, closing: closing.signal }));
      const ended = rendering.catch(() => undefined);
      running.add(ended);
      try {
        return await rendering;
      } finally {
        running.delete(ended);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

interface RenderContext {
  readonly parts: RendererParts;
  readonly closing: AbortSignal;
}

async function withTimeout(
  address: string,
  options: RenderOptions,
  { parts, closing }: RenderContext,
): Promise<FetchedPage> {
  const { timeoutMs = TIMEOUT_MS } = parts;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, closing, deadline]);
  const requests = createRenderedRequests({ ...parts, ...options, signal });
  try {
    return await withBrowser(parts.executablePath, signal, (browser) => show(address, { browser, requests }));
  } catch (error) {
    if (options.signal.aborted || closing.aborted) {
      throw new ServiceError('cancelled', 'The rendering was cancelled.', { cause: error });
    }
    if (deadline.aborted) {
      const message = `${address} was not rendered within ${timeoutMs / 1000} s.`;
      throw new ServiceError('timeout', message, { cause: error });
    }
    if (error instanceof ServiceError) throw error;
    if (requests.failure instanceof ServiceError) throw requests.failure;
    throw new ServiceError('provider_failed', `${address} could not be rendered.`, { cause: error });
  }
}

/** Always closes the browser; an abort does not wait for the page. */
async function withBrowser<T>(
  executablePath: string,
  signal: AbortSignal,
  work: (browser: Browser) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const launching = launchBrowser(executablePath);
  try {
    return await raceAbort(launching.then(work), signal);
  } finally {
    await launching.then((browser) => browser.close()).catch(() => undefined);
  }
}

interface RenderJob {
  readonly browser: Browser;
  readonly requests: RenderedRequests;
}

async function show(address: string, { browser, requests }: RenderJob): Promise<FetchedPage> {
  const context = await browser.newContext({ acceptDownloads: false, serviceWorkers: 'block' });
  await context.routeWebSocket('**', (socket) => void socket.close());
  await context.route('**', (route) => requests.answer(route));
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit', timeout: LOAD_TIMEOUT_MS });
  const loaded = (state: string, timeout: number) => page.waitForLoadState(state, { timeout }).catch(() => undefined);
  // A page that never becomes idle is read as it is. If a script navigates to a rejected address, the page never loads.
  await Promise.race([loaded('domcontentloaded', LOAD_TIMEOUT_MS), requests.failed]);
  await loaded('networkidle', SETTLE_TIMEOUT_MS);
  const html = await readHtml(page, context);
  const url = requests.finalAddress(page.url());
  if (html === null) {
    throw new ServiceError('too_large', `${url} writes a page of more than ${MAX_CHARACTERS} characters.`);
  }
  return {
    url,
    bytes: Buffer.from(html, 'utf8'),
    mediaType: 'text/html',
    charset: 'utf-8',
    fileName: 'page.html',
    validators: {},
  };
}

/** The HTML of the page; null if it is too large. Evaluated in an isolated world, which page scripts cannot modify. */
async function readHtml(page: Page, context: BrowserContext): Promise<string | null> {
  const tools = await context.newCDPSession(page);
  const tree = (await tools.send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
  const { executionContextId } = (await tools.send('Page.createIsolatedWorld', {
    frameId: tree.frameTree.frame.id,
  })) as { executionContextId: number };
  const read = (await tools.send('Runtime.evaluate', {
    expression: `(${READ_HTML})(${MAX_CHARACTERS})`,
    contextId: executionContextId,
    returnByValue: true,
  })) as { result: { value?: unknown }; exceptionDetails?: { text: string } };
  if (read.exceptionDetails !== undefined) throw new Error(read.exceptionDetails.text);
  return typeof read.result.value === 'string' ? read.result.value : null;
}

// Serialises shadow DOM in the place where it is displayed, with the host's children inserted into the slots.
const READ_HTML = `(most) => {
  const open = (root) => {
    for (const host of root.querySelectorAll('*')) {
      const shadow = host.shadowRoot;
      if (shadow === null) continue;
      open(shadow);
      for (const slot of shadow.querySelectorAll('slot')) {
        const assigned = slot.assignedNodes();
        slot.replaceWith(...(assigned.length > 0 ? assigned : slot.childNodes));
      }
      host.replaceChildren(...shadow.childNodes);
    }
  };
  open(document);
  const html = document.documentElement.outerHTML;
  return html.length > most ? null : html;
}`;
