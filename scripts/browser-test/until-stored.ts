import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { holds } from './suite.ts';

const STORED_WITHIN_MS = 30_000;

/**
 * Waits until the page has stored its answers, or the service has. The policy of the page forbids to evaluate a text
 * repeatedly, as `waitForFunction` does.
 */
export async function untilStored(page: Page): Promise<void> {
  const end = performance.now() + STORED_WITHIN_MS;
  while ((await page.evaluate(`localStorage.getItem('citewell.ask.runs')`)) !== null) {
    holds(performance.now() < end, 'the answers are stored in time');
    await sleep(50);
  }
}
