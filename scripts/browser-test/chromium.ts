import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const DEFAULT_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium on this machine, preferably `named`; undefined if none is found. */
export const findChromium = (named: string | undefined): string | undefined =>
  [...(named === undefined || named === '' ? [] : [named]), ...DEFAULT_PATHS].find((path) => existsSync(path));

/** Starts a browser without background network requests. Its sandbox is off for root (as in containers). */
export const startChromium = (executablePath: string, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
