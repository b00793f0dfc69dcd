import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type RunningServer, startServer, withFolder } from './server.ts';
import { type BrowserSuite, type BrowserTest, same } from './suite.ts';

/** The library while the server is stopped and started again. */
export const restartsSuite: BrowserSuite = {
  name: 'restarts',
  run: (test) =>
    withFolder(async (folder) => {
      let server: RunningServer = await startServer(folder);
      const { url } = server;
      const parts: Parts = {
        test: test.at(url),
        stop: () => server.stop(),
        kill: () => server.kill(),
        async restart() {
          server = await startServer(folder, {}, new URL(url).port);
        },
      };
      try {
        await checkUploadsDuringStop(parts);
        await checkUploadDuringCrash(parts);
        await checkGivingUp(parts);
        await checkIdle(parts);
      } finally {
        await server.stop();
      }
    }),
};

interface Parts {
  readonly test: BrowserTest;
  stop(): Promise<void>;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

const file = (name: string, text: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
const files = (count: number, from: string) =>
  Array.from({ length: count }, (_, at) =>
    file(`${from}-${at}.md`, `# ${from} ${at}\n\nThe buoy ${at} of ${from} is red.`),
  );
const away = (page: Page) => page.getByText('The server cannot be reached. Continues when it is back.');
const open = async (page: Page, { test }: Parts) => {
  await page.goto(`${test.url}/library`);
  await page.locator('.documents, .library > .notice').first().waitFor();
};

async function checkUploadsDuringStop(parts: Parts): Promise<void> {
  await parts.test.check('files that are added while the server is stopped arrive when it is back', async (page) => {
    await open(page, parts);
    await parts.stop();
    await page.getByTestId('files').setInputFiles(files(7, 'stopped'));
    await away(page).first().waitFor();
    await sleep(1_500);
    same(await page.locator('.upload-failed').count(), 0, 'the failed uploads');
    await parts.restart();
    await page.getByText('7 files are done').waitFor();
    await page.locator('.documents').getByRole('link', { name: 'stopped-6' }).waitFor();
  });
}

async function checkUploadDuringCrash(parts: Parts): Promise<void> {
  await parts.test.check('an upload is followed to its end over a crash of the server', async (page) => {
    const paragraphs = Array.from(
      { length: 6_000 },
      (_, at) => `The buoy ${at} at pier ${at * 7} is painted red and white.`,
    );
    await open(page, parts);
    await page.getByTestId('files').setInputFiles([file('long.md', paragraphs.join('\n\n'))]);
    await page.locator('.upload-working').waitFor();
    await parts.kill();
    await away(page).first().waitFor();
    await parts.restart();
    await page.locator('.upload').filter({ hasText: /Ready/ }).waitFor();
  });
}

async function checkGivingUp(parts: Parts): Promise<void> {
  await parts.test.check('uploads that wait for the server can be given up', async (page) => {
    await open(page, parts);
    await parts.stop();
    await page.getByTestId('files').setInputFiles(files(5, 'given-up'));
    await away(page).first().waitFor();
    await page.getByRole('button', { name: 'Stop after the current files' }).click();
    await page.locator('.uploads').waitFor({ state: 'detached' });
    await parts.restart();
  });
}

async function checkIdle(parts: Parts): Promise<void> {
  await parts.test.check('a page that was open over a restart goes on', async (page) => {
    await page.goto(parts.test.url);
    await page.getByLabel('Question').fill('Which buoy is red?');
    await parts.stop();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const failure = page.locator('.turn').getByRole('alert');
    await failure.getByText('The server cannot be reached.').waitFor();
    await parts.restart();
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.quote-card').first().waitFor();
    same(await page.locator('.turn').count(), 1, 'the number of answers');
  });
}
