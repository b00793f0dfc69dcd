import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPageReaders } from '../../src/ingest/page-readers.ts';
import type { FetchedPage } from '../../src/web/page-fetcher.ts';

const { signal } = new AbortController();
const LINK = '<a href="/x">x</a>';

const fetched = (html: string): FetchedPage => ({
  url: 'https://site.example/page',
  bytes: Buffer.from(html),
  mediaType: 'text/html',
  fileName: 'page.html',
  validators: {},
});

function openReaders() {
  const readers = createPageReaders({ workers: 1 });
  onTestFinished(() => readers.close());
  return readers;
}

// However long a page takes to parse, the service answers meanwhile.
it('parses no page in the process of the service', async () => {
  const program = fileURLToPath(new URL('../support/read-pages.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const { text, pages, read, loaded } = JSON.parse(stdout);
  expect(text).toContain('The river rose.');
  expect(pages).toEqual(['/', '/a']);
  expect(read).toBe(2);
  expect(loaded).toContain('undici');
  expect(loaded).not.toContain('cheerio');
  expect(loaded).not.toContain('htmlparser2');
  expect(loaded).not.toContain('parse5');
});

it('rejects a caller that aborted immediately, and starts nothing once it is closed', async () => {
  const readers = openReaders();
  const caller = new AbortController();
  let isRead = false;
  const first = readers.links(fetched(LINK), signal).finally(() => {
    isRead = true;
  });
  const given = readers.links(fetched(LINK), caller.signal);
  const others = Promise.allSettled([first, readers.links(fetched(LINK), signal)]);
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: 'cancelled' });
  expect(isRead).toBe(false);
  await readers.close();
  expect(await others).toMatchObject([{ status: 'rejected' }, { status: 'rejected', reason: { code: 'cancelled' } }]);
});

it('gives no task to a process that is being ended for idleness', async () => {
  const readers = openReaders();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await readers.links(fetched(LINK), signal)).toEqual(['https://site.example/x']);
  vi.advanceTimersByTime(60_000);
  expect(await readers.links(fetched(LINK), signal)).toEqual(['https://site.example/x']);
});
