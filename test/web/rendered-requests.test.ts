import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import type { PageRequest, Route } from '../../src/web/browser.ts';
import type { FetchedPage, PageFetcher } from '../../src/web/page-fetcher.ts';
import { createRenderedRequests } from '../../src/web/rendered-requests.ts';

const signal = new AbortController().signal;

const pageOf = (url: string, bytes: Uint8Array = Buffer.from('text')): FetchedPage => ({
  url,
  bytes,
  mediaType: 'text/html',
  fileName: 'page.html',
  validators: {},
});

/** Fetches addresses that match the pattern; `fetched` lists them. */
function fetcherOf(allowed: RegExp, bytes?: Uint8Array): Pick<PageFetcher, 'fetch'> & { readonly fetched: string[] } {
  const fetched: string[] = [];
  return {
    fetched,
    fetch: async (address, { maxBytes = 0 }) => {
      if (!allowed.test(address)) throw new ServiceError('forbidden', `${address} is not fetched.`);
      if ((bytes?.length ?? 0) > maxBytes) throw new ServiceError('too_large', `${address} is too large.`);
      fetched.push(address);
      return pageOf(address, bytes);
    },
  };
}

interface Asked extends Route {
  readonly outcome: string;
  readonly headers: Readonly<Record<string, string>>;
}

function asking(url: string, type = 'fetch', more: Partial<PageRequest> = {}): Asked {
  const asked = { outcome: 'nothing', headers: {} as Readonly<Record<string, string>> };
  return Object.assign(asked, {
    request: () => ({
      url: () => url,
      method: () => 'GET',
      resourceType: () => type,
      headers: () => ({}),
      frame: () => ({ parentFrame: () => null }),
      ...more,
    }),
    abort: async (outcome = 'failed') => void Object.assign(asked, { outcome }),
    fulfill: async (response: object) => void Object.assign(asked, { outcome: 'answered', ...response }),
  });
}

it('lets a public page reach no host that an operator has allowed', async () => {
  const fetcher = fetcherOf(/intern|example/);
  const publicFetcher = fetcherOf(/example/);
  const { answer } = createRenderedRequests({ fetcher, publicFetcher, signal });
  const [page, data, secret] = [
    asking('http://example.org/', 'document'),
    asking('http://cdn.example/data'),
    asking('http://wiki.intern/'),
  ];
  for (const route of [page, data, secret]) await answer(route);
  expect([page, data, secret].map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'failed']);
  expect(fetcher.fetched).toEqual([]);
});

it('lets a page of an allowed host reach allowed hosts, until it navigates to the public web', async () => {
  const fetcher = fetcherOf(/intern|example/);
  const publicFetcher = fetcherOf(/example/);
  const { answer } = createRenderedRequests({ fetcher, publicFetcher, signal });
  const routes = [
    asking('http://wiki.intern/', 'document'),
    asking('http://api.intern/data'),
    asking('http://example.org/', 'document'),
    asking('http://api.intern/more'),
    asking('http://wiki.intern/', 'document'),
  ];
  for (const route of routes) await answer(route);
  expect(routes.map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered', 'failed', 'aborted']);
});

it.each([
  ['what is sent', asking('http://example.org/', 'fetch', { method: () => 'POST' })],
  ['pictures', asking('http://example.org/a.png', 'image')],
  ['fonts', asking('http://example.org/a.woff', 'font')],
  ['frames', asking('http://example.org/', 'document', { frame: () => ({ parentFrame: () => ({}) }) })],
])('does not fetch %s', async (_name, route) => {
  const fetcher = fetcherOf(/./);
  await createRenderedRequests({ fetcher, signal }).answer(route);
  expect([route.outcome, fetcher.fetched]).toEqual(['failed', []]);
});

it('limits number and size of the requests of a page', async () => {
  const small = fetcherOf(/./);
  const many = createRenderedRequests({ fetcher: small, signal });
  for (let number = 0; number < 400; number += 1) await many.answer(asking(`http://example.org/${number}`));
  expect(small.fetched.length).toBe(150);

  const large = fetcherOf(/./, Buffer.alloc(7_000_000));
  const heavy = createRenderedRequests({ fetcher: large, signal });
  for (let number = 0; number < 20; number += 1) await heavy.answer(asking(`http://example.org/${number}`));
  expect(large.fetched.length).toBe(4);
});

it('answers with CORS headers for any origin, with or without credentials', async () => {
  const { answer } = createRenderedRequests({ fetcher: fetcherOf(/./), signal });
  const plain = asking('http://example.org/a');
  const credentialed = asking('http://example.org/a', 'xhr', { headers: () => ({ origin: 'https://app.example' }) });
  await answer(plain);
  await answer(credentialed);
  expect(plain.headers).toEqual({ 'content-type': 'text/html', 'access-control-allow-origin': '*' });
  expect(credentialed.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-credentials': 'true',
  });
});
