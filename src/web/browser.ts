import { access, constants } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';

/** As much of playwright-core as is used; the package is an optional peer and may be missing. */
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
 * A Chromium without a network of its own. Only root, who cannot have it, goes without Chromium's sandbox: containers
 * run as root, and there the container is what stands around the page.
 */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  const { chromium } = await loadPlaywright();
  try {
    // The package makes its folders before it looks, and leaves them when there is no such program.
    await access(executablePath, constants.X_OK);
    return await chromium.launch({
      executablePath,
      headless: true,
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: LAUNCH_TIMEOUT_MS,
      env: {},
      // Left to itself the package ends this process on a signal, before its own shutdown is done.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: [
        // Nothing listens there: what is not answered by us goes nowhere.
        '--proxy-server=http://127.0.0.1:9',
        '--proxy-bypass-list=<-loopback>',
        '--host-resolver-rules=MAP * ~NOTFOUND',
        // Named differently by Chrome and by its headless shell.
        '--webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-background-networking',
        '--disable-sync',
        '--disable-component-update',
        // A page can neither open further ones nor fill the machine's memory.
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

/** Whether rendering has the package it needs, for those who look before they ask. */
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
