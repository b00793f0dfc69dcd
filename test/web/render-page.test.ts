import { expect, it, onTestFinished } from 'vitest';
import { publicOnly } from '../../src/web/address-rules.ts';
import { createPageFetcher } from '../../src/web/page-fetcher.ts';
import { createPageRenderer } from '../../src/web/render-page.ts';

it('says what a browser needs that cannot be started', async () => {
  const fetcher = createPageFetcher({ rules: publicOnly });
  onTestFinished(() => fetcher.close());
  const { render, close } = createPageRenderer({ executablePath: '/nowhere/chromium', fetcher });
  const error = await render('https://example.org/', new AbortController().signal).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'not_configured',
    message: expect.stringMatching(/npm install playwright-core|could not be started; see CITEWELL_BROWSER/),
  });
  await close();
});
