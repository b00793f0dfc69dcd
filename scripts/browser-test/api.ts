import { type BrowserSuite, holds, same } from './suite.ts';

/** An address without a view. */
export const NOWHERE = '/nowhere';

/** The page's own files and its session, which are not part of the API. */
const OF_THE_PAGE =
  /^GET \/(?:assets\/(?:pdf\/)?[\w.-]+|search|library|graph|quality|settings|nowhere|d\/[^/]+)?$|^(?:POST|PUT|DELETE) \/session$/;

/** The page has no private API: other clients can do everything it does. Runs after all other suites. */
export const apiSuite: BrowserSuite = {
  name: 'api',
  async run(test) {
    await test.check('the page requests only what /v3/openapi.json describes, and its own files', async () => {
      const response = await fetch(`${test.url}/v3/openapi.json`);
      const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> };
      const described = Object.entries(paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => ({
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        })),
      );
      const used = new Set<string>();
      const others = new Set<string>();
      for (const { method, url } of test.requests) {
        const { protocol, hostname, pathname } = new URL(url);
        if (protocol !== 'http:' && hostname === '') continue;
        if (hostname !== '127.0.0.1') others.add(`${method} ${url}`);
        else if (OF_THE_PAGE.test(`${method} ${pathname}`)) continue;
        else {
          const operation = described.find((each) => each.method === method && each.pattern.test(pathname));
          if (operation === undefined) others.add(`${method} ${pathname}`);
          else used.add(`${method} ${operation.pattern.source}`);
        }
      }
      same([...others].join(', '), '', 'other requests');
      console.log(`          ${used.size} operations used in ${test.requests.length} requests`);
      holds(used.size > 0, 'the page requested something');
    });
  },
};
