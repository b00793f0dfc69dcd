import { access, constants } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';

/** The part of playwright-core used here; the package is an optional peer dependency. */
interface Chromium {
  launch(options: object): Promise<Browser>;
}
export interface Browser {
  newContext(options: object): Promise<BrowserContext>;
  close(): Promise<void>;
}
export interface BrowserContext {
  route(pattern: string, handler: (route: Route) => Promise<void>): Promise<void>;
  routeWebSocket(pattern: string, handler: (socket: { close(): Promise<void> }) => void): Promise<void>;
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<DevTools>;
}
export interface Page {
  goto(address: string, options: object): Promise<unknown>;
  waitForLoadState(state: string, options: object): Promise<void>;
  url(): string;
}
export interface DevTools {
  send(method: string, parameters?: object): Promise<unknown>;
}
export interface Route {
  request(): PageRequest;
  abort(reason?: string): Promise<void>;
  fulfill(response: object): Promise<void>;
}
export interface PageRequest {
  url(): string;
  method(): string;
  resourceType(): string;
  headers(): Readonly<Record<string, string>>;
  frame(): { parentFrame(): object | null };
}

const PACKAGE = 'playwright-core';
const LAUNCH_TIMEOUT_MS = 15_000;

/**
 * Starts a Chromium without network access. Chromium's sandbox does not work for root and is switched off for that user
 * only: root usually means a container, which isolates the page instead.
 */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  const { chromium } = await loadPlaywright();
  try {
    // Checked first, because Playwright creates temporary folders and leaves them behind if the executable is missing.
    await access(executablePath, constants.X_OK);
    return await chromium.launch({
      executablePath,
      headless: true,
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: LAUNCH_TIMEOUT_MS,
      env: {},
      // By default, Playwright exits this process on a signal, before the service has shut down.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: [
        // Nothing listens on this port, so any request that is not intercepted fails.
        '--proxy-server=http://127.0.0.1:9',
        '--proxy-bypass-list=<-loopback>',
        '--host-resolver-rules=MAP * ~NOTFOUND',
        // Chrome and its headless shell use different names for this switch.
        '--webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-background-networking',
        '--disable-sync',
        '--disable-component-update',
        // Pages can neither open windows nor exhaust the machine's memory.
        '--block-new-web-contents',
        '--js-flags=--max-old-space-size=512',
      ],
    });
  } catch (error) {
    throw new ServiceError('not_configured', notStarted(executablePath, error), { cause: error });
  }
}

function notStarted(executablePath: string, error: unknown): string {
  const start = `The browser ${executablePath} could not be started; see CITEWELL_BROWSER.`;
  return error instanceof Error && /no usable sandbox|setuid sandbox/i.test(error.message)
    ? `${start} Its sandbox needs user namespaces, which this system denies to this user.`
    : start;
}

/** Whether the package needed for rendering is installed. */
export const hasPlaywright = (): Promise<boolean> =>
  loadPlaywright().then(
    () => true,
    () => false,
  );

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
