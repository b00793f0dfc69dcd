import { expect, it, onTestFinished } from 'vitest';
import { createPageReaders } from '../../src/ingest/page-readers.ts';
import type { FetchedPage } from '../../src/web/page-fetcher.ts';

const { signal } = new AbortController();

const fetched = (html: string): FetchedPage => ({
  url: 'https://site.example/page',
  bytes: Buffer.from(html),
  mediaType: 'text/html',
  fileName: 'page.html',
  validators: {},
});

function openReaders(limits: Parameters<typeof createPageReaders>[0]) {
  const readers = createPageReaders({ workers: 1, ...limits });
  onTestFinished(() => readers.close());
  return readers;
}

it('stops at a page that takes too long, and reads the next', async () => {
  const readers = openReaders({ timeoutMs: 2_000 });
  const table = '<tr><td>1</td><td>2</td></tr>'.repeat(200_000);
  await expect(readers.readPage(fetched(`<main><table>${table}</table></main>`), signal)).rejects.toMatchObject({
    code: 'timeout',
    message: 'Reading https://site.example/page took more than 2 s and was stopped.',
  });
  await readers.close();
  const patient = openReaders({});
  expect((await patient.readPage(fetched('<main><p>The river rose.</p></main>'), signal)).text).toContain('rose');
});

it('refuses a page that takes too much memory', async () => {
  const readers = openReaders({ memoryMb: 160 });
  const links = '<p><a href="/x">y</a></p>'.repeat(150_000);
  await expect(readers.readPage(fetched(`<main>${links}</main>`), signal)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('https://site.example/page needs more memory'),
  });
  expect(await readers.links(fetched(links), signal)).toEqual(['https://site.example/x']);
});
