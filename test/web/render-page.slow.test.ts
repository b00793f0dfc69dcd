import { createSocket } from 'node:dgram';
import type { RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { publicOnly } from '../../src/web/address-rules.ts';
import { readOpenHost } from '../../src/web/open-hosts.ts';
import { createPageFetcher, type FetchedPage, type PageFetcher } from '../../src/web/page-fetcher.ts';
import { createPageRenderer, type PageRenderer, type RendererParts } from '../../src/web/render-page.ts';
import { findBrowser, leftOf, offspring } from './browser-support.ts';
import { serve, type TestServer } from './support.ts';

const browser = await findBrowser();
const signal = new AbortController().signal;
const textOf = ({ bytes }: FetchedPage): string => Buffer.from(bytes).toString('utf8');

/** A fetcher that may access only these servers. */
function fetcherOf(...servers: readonly TestServer[]): PageFetcher {
  const open = servers.flatMap(({ port }) => readOpenHost(`127.0.0.1:${port}`) ?? []);
  const fetcher = createPageFetcher({ rules: { ...publicOnly, open } });
  onTestFinished(() => fetcher.close());
  return fetcher;
}

function rendererOf(fetcher: RendererParts['fetcher'], more: Partial<RendererParts> = {}): PageRenderer {
  const renderer = createPageRenderer({ executablePath: browser ?? '/nowhere/chromium', fetcher, ...more });
  onTestFinished(() => renderer.close());
  return renderer;
}

it('says what is missing when the browser cannot be started', async () => {
  const { render } = rendererOf(fetcherOf(), { executablePath: '/nowhere/chromium' });
  const error = await render('https://example.org/', { signal }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'not_configured',
    message: expect.stringMatching(/npm install playwright-core|could not be started; see CITEWELL_BROWSER/),
  });
});

it('renders http and https only, and nothing after close', async () => {
  const renderer = rendererOf(fetcherOf());
  await expect(renderer.render('file:///etc/passwd', { signal })).rejects.toMatchObject({ code: 'invalid_request' });
  await renderer.close();
  await expect(renderer.render('https://example.org/', { signal })).rejects.toMatchObject({ code: 'cancelled' });
});

if (browser === undefined) {
  it('names the package or the setting when there is no browser', async () => {
    const error = await rendererOf(fetcherOf())
      .render('https://example.org/', { signal })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not_configured', message: expect.stringContaining('CITEWELL_BROWSER') });
  });
} else {
  describe(`a page in ${browser}`, () => {
    const page = (script: string, more: Readonly<Record<string, string>> = {}): RequestListener => {
      const files: Readonly<Record<string, readonly [string, string]>> = {
        '/': ['text/html', '<!doctype html><title>Page</title><p id="out"></p><script src="/app.js"></script>'],
        '/app.js': ['text/javascript', `const say = (text) => { out.textContent += text + '; '; };\n${script}`],
        ...Object.fromEntries(Object.entries(more).map(([path, text]) => [path, ['application/json', text] as const])),
      };
      return ({ url = '' }, response) => {
        const [type, text] = files[url] ?? [];
        if (type === undefined) response.writeHead(404).end();
        else response.setHeader('content-type', type).end(text);
      };
    };

    it('returns the text written by its scripts, with each request made by the fetcher', async () => {
      const agents = new Set<string | undefined>();
      const listener = page(
        `fetch('/data.json', { credentials: 'include' }).then((got) => got.json()).then(({ text }) => say(text));
        const shade = document.createElement('my-note');
        shade.append('slotted');
        document.body.append(shade);
        shade.attachShadow({ mode: 'open' }).innerHTML = '<p>shadow around <slot>nothing</slot></p>';`,
        { '/data.json': '{"text":"written by a script"}' },
      );
      const server = await serve((request, response) => {
        agents.add(request.headers['user-agent']);
        listener(request, response);
      });
      const rendered = await rendererOf(fetcherOf(server)).render(`${server.url}/`, { signal });
      expect(rendered).toMatchObject({ url: `${server.url}/`, mediaType: 'text/html', charset: 'utf-8' });
      expect(textOf(rendered)).toContain('<p id="out">written by a script; </p>');
      expect(textOf(rendered)).toContain('<p>shadow around slotted</p>');
      expect(server.requests.toSorted()).toEqual(['GET /', 'GET /app.js', 'GET /data.json']);
      expect([...agents]).toEqual(['citewell']);
    });

    it('reaches nothing that its fetcher refuses, by any means', async () => {
      const canary = await serve((_request, response) => void response.end('secret'));
      const udp = createSocket('udp4');
      let packets = 0;
      udp.on('message', () => {
        packets += 1;
      });
      await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
      onTestFinished(() => void udp.close());
      const { port } = canary;
      const server = await serve(
        page(`
          const origins = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0', 'me.localhost']
            .map((host) => 'http://' + host + ':${port}');
          for (const origin of origins) {
            fetch(origin + '/').then(() => say('REACHED ' + origin), () => say('refused'));
            fetch(origin + '/', { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => {});
            navigator.sendBeacon(origin + '/beacon', 'x');
            new Image().src = origin + '/image.png';
            for (const [rel, as] of [['preconnect'], ['dns-prefetch'], ['prefetch'], ['preload', 'script'], ['stylesheet'], ['icon']]) {
              document.head.append(Object.assign(document.createElement('link'), { rel, as, href: origin + '/link' }));
            }
            for (const kind of ['iframe', 'script', 'video', 'embed']) {
              document.body.append(Object.assign(document.createElement(kind), { src: origin + '/' + kind }));
            }
            try { new WebSocket(origin.replace('http', 'ws')).onopen = () => say('REACHED socket'); } catch {}
            try { new EventSource(origin + '/events'); } catch {}
            try { new WebTransport('https://127.0.0.1:${udp.address().port}/').ready.catch(() => {}); } catch {}
            try { window.open(origin + '/window'); } catch {}
          }
          new Worker(URL.createObjectURL(new Blob(['fetch("' + origins[0] + '/worker")'])));
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp.address().port}' }] });
          peer.createDataChannel('x');
          peer.createOffer().then((offer) => peer.setLocalDescription(offer));
          setTimeout(() => { location.href = origins[0] + '/away'; }, 300);
        `),
      );
      const rendered = await rendererOf(fetcherOf(server)).render(`${server.url}/`, { signal });
      expect(textOf(rendered).match(/refused; /g)?.length).toBe(7);
      expect(textOf(rendered)).not.toMatch(/REACHED [^' ]+;|secret/);
      expect([canary.connections(), packets]).toEqual([0, 0]);
    });

    it('is checked before a script navigates to another page', async () => {
      const server = await serve(page(`location.href = '/private';`, { '/private': '"secret"' }));
      const asked: string[] = [];
      const rendering = rendererOf(fetcherOf(server)).render(`${server.url}/`, {
        signal,
        admit: async ({ pathname }) => {
          asked.push(pathname);
          if (pathname === '/private') throw new ServiceError('forbidden', 'Robots are not wanted there.');
        },
      });
      await rendering.then(
        (rendered) => expect(textOf(rendered)).not.toContain('secret'),
        (error: unknown) => expect(error).toMatchObject({ code: 'forbidden' }),
      );
      expect(asked).toEqual(['/', '/private']);
      expect(server.requests).not.toContain('GET /private');
    });

    it('reports why the page itself could not be fetched', async () => {
      const canary = await serve((_request, response) => void response.end('secret'));
      const { render } = rendererOf(fetcherOf());
      await expect(render(`${canary.url}/`, { signal })).rejects.toMatchObject({ code: 'forbidden' });
      expect(canary.connections()).toBe(0);
    });

    it.each([
      ['never ends its script', 'while (true);'],
      ['stops answering once it is loaded', `addEventListener('load', () => setTimeout(() => { while (true); }, 50));`],
    ])('that %s is given up in time, and its processes end', async (_name, script) => {
      // Other files of this worker may have left a reader process running, which is not the browser's.
      const before = await offspring();
      const server = await serve(page(script));
      const rendering = rendererOf(fetcherOf(server), { timeoutMs: 5_000 })
        .render(`${server.url}/`, { signal })
        .catch((error: unknown) => error);
      await until(() => server.requests.includes('GET /app.js'));
      const started = await offspring(before);
      expect(started.length).toBeGreaterThan(1);
      expect(await rendering).toMatchObject({ code: 'timeout' });
      expect(await leftOf(started)).toEqual([]);
    });

    it('that sends requests endlessly is returned as it is at the time limit', async () => {
      const server = await serve(
        page(`say('here'); setInterval(() => fetch('/again?' + Math.random()).catch(() => {}), 20);`),
      );
      const rendered = await rendererOf(fetcherOf(server)).render(`${server.url}/`, { signal });
      expect(textOf(rendered)).toContain('here; ');
      expect(server.requests.length).toBeLessThanOrEqual(150);
    });

    it('that grows too large is refused, even when its scripts tamper with the measurement', async () => {
      const server = await serve(
        page(`Object.defineProperty(Element.prototype, 'outerHTML', { get: () => 'small' });
          // Hidden, because laying out so long a line takes the browser longer than the whole rest.
          out.hidden = true;
          out.append('x'.repeat(9_000_000));`),
      );
      // More time than usual: on a busy machine, the size must be the reason, not the time.
      const { render } = rendererOf(fetcherOf(server), { timeoutMs: 120_000 });
      await expect(render(`${server.url}/`, { signal })).rejects.toMatchObject({ code: 'too_large' });
    });

    it.each(['done', 'aborted', 'closed', 'aborted while it starts'])(
      'leaves no process behind when it is %s',
      async (ending) => {
        const before = await offspring();
        const server = await serve(page(ending === 'done' ? `say('done');` : 'while (true);'));
        const renderer = rendererOf(fetcherOf(server));
        const control = new AbortController();
        const rendering = renderer
          .render(`${server.url}/`, { signal: control.signal })
          .catch((error: unknown) => error);
        await until(async () =>
          ending === 'aborted while it starts' ? (await offspring(before)).length > 0 : server.requests.length > 0,
        );
        const started = await offspring(before);
        if (ending.startsWith('aborted')) control.abort();
        if (ending === 'closed') await renderer.close();
        expect(await rendering).toMatchObject(ending === 'done' ? { mediaType: 'text/html' } : { code: 'cancelled' });
        expect(await leftOf(started)).toEqual([]);
      },
    );
  });
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await isSo()) return;
    await wait(20);
  }
  throw new Error('It never came to be.');
}
