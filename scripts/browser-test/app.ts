import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { sample } from './sample.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const HOST = fileURLToPath(new URL('./app-host/host.js', import.meta.url));
/** The host page is served under the server's origin, which may call the server. */
const HOST_PATH = '/app-host';
// Supported by no document, not even by those that other suites add.
const STATEMENT = 'Quorblats frumble the gnarpling vexiloots of Zyxwvia nightly.';

interface Quote {
  readonly document_id: string;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent: {
    readonly results?: readonly {
      readonly document_id: string;
      readonly start_char: number;
      readonly end_char: number;
    }[];
    readonly citations?: readonly { readonly document_id: string; readonly quotes: readonly Quote[] }[];
    readonly statements?: readonly { readonly verdict: string; readonly evidence?: Quote }[];
  };
}

/** The MCP App in the reference host: exactly the cited text is marked. */
export const appSuite: BrowserSuite = {
  name: 'app',
  async run(test) {
    const script = await bundleHost();
    for (const name of ['annual-report-2024.pdf', 'handbook.md']) {
      const id = await test.ingest(sample(name));
      const { text } = await test.get<{ readonly text: string }>(`/documents/${id}/text`);
      const sentences = [...text.matchAll(/(?<=[.\n] ?)\p{Lu}[^.\n|]{40,}\./gu)].map(([sentence]) => sentence);
      await checkProof(test, { name, id, text, script, sentences });
      await checkSearch(test, { name, id, text, script, sentences });
    }
  },
};

interface AppCase {
  readonly name: string;
  readonly id: string;
  readonly text: string;
  readonly script: string;
  readonly sentences: readonly string[];
}

async function checkProof(test: BrowserTest, { name, id, text, script, sentences }: AppCase): Promise<void> {
  const [first = '', last = ''] = [sentences[0], sentences.at(-1)];
  const given = { answer: `${first} ${last} ${STATEMENT}`, document_ids: [id] };
  await test.check(`${name}: the app marks the quotes of checked statements`, async (page) => {
    const result = await useTool(page, { test, script, tool: 'check_citations', given });
    const quotes = (result.structuredContent.statements ?? []).flatMap(({ evidence }) => evidence ?? []);
    same(quotes.length, 2, 'the number of quotes');
    const buttons = page.frameLocator('iframe').locator('button');
    same(await buttons.count(), quotes.length, 'the number of sources');
    for (const [index, { quote, start, end }] of quotes.entries()) {
      same(text.slice(start, end), quote, 'the text at the place of the quote');
      await buttons.nth(index).click();
      await waitForMark(page, quote);
      holds(await isMarkInSight(page), 'the mark is in sight');
    }
    same(await page.evaluate('host.app.name'), 'citewell-source', 'the name of the app');
    holds((await page.evaluate<number>('host.sizes.length')) > 0, 'the app told its size');
    await page.evaluate('host.end()');
  });
  await test.check(`${name}: a client without apps gets the same`, async (page) => {
    const withApp = await useTool(page, { test, script, tool: 'check_citations', given });
    const client = new Client({ name: 'plain', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${test.url}/mcp`)));
    try {
      const { content, structuredContent } = await client.callTool({ name: 'check_citations', arguments: given });
      same(JSON.stringify(content), JSON.stringify(withApp.content), 'the text');
      same(JSON.stringify(structuredContent), JSON.stringify(withApp.structuredContent), 'the data');
      const words = JSON.stringify(content);
      for (const { evidence } of withApp.structuredContent.statements ?? []) {
        if (evidence) holds(words.includes(JSON.stringify(evidence.quote).slice(1, -1)), 'the text has the quote');
      }
    } finally {
      await client.close();
    }
  });
}

async function checkSearch(test: BrowserTest, { name, id, text, script, sentences }: AppCase): Promise<void> {
  const query = sentences[Math.floor(sentences.length / 2)] ?? '';
  const filters = { document_id: { $eq: id } };
  await test.check(`${name}: the app marks the first passage of a search`, async (page) => {
    const given = { query, filters };
    const { structuredContent } = await useTool(page, { test, script, tool: 'search_file_knowledge', given });
    const [hit] = structuredContent.results ?? [];
    if (hit === undefined) throw new Error('The search found nothing.');
    await waitForMark(page, text.slice(hit.start_char, hit.end_char));
  });
  await test.check(`${name}: the app marks the quotes of an answer`, async (page) => {
    const { structuredContent } = await useTool(page, { test, script, tool: 'rag', given: { query } });
    const [citation] = structuredContent.citations ?? [];
    const [quote] = citation?.quotes ?? [];
    if (citation === undefined || quote === undefined) throw new Error('The answer has no quote.');
    const source = await test.get<{ readonly text: string }>(`/documents/${citation.document_id}/text`);
    await waitForMark(page, source.text.slice(quote.start, quote.end));
  });
}

interface Use {
  readonly test: BrowserTest;
  readonly script: string;
  readonly tool: string;
  readonly given: object;
}

async function useTool(page: Page, { test, script, tool, given }: Use): Promise<Result> {
  await page.route(`**${HOST_PATH}`, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><body></body><script>${script}</script>` }),
  );
  await page.goto(`${test.url}${HOST_PATH}`);
  return page.evaluate<Result>(`useTool(${JSON.stringify(tool)}, ${JSON.stringify(given)})`);
}

async function waitForMark(page: Page, expected: string): Promise<void> {
  const mark = page.frameLocator('iframe').locator('mark');
  // The app reads the page through the host after the click.
  const deadline = Date.now() + 60_000;
  let shown: string | null = null;
  while (shown !== expected && Date.now() < deadline) {
    shown = await mark.first().textContent();
    if (shown !== expected) await page.waitForTimeout(50);
  }
  same(shown, expected, 'the marked text');
  same(await mark.count(), 1, 'the number of marks');
}

async function isMarkInSight(page: Page): Promise<boolean> {
  // The host gives the frame the height of the app after the app has changed.
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await page.waitForTimeout(50)) {
    const [frame, mark] = await Promise.all([
      page.locator('iframe').boundingBox(),
      page.frameLocator('iframe').locator('mark').boundingBox(),
    ]);
    if (frame !== null && mark !== null && mark.y >= frame.y && mark.y < frame.y + frame.height) return true;
  }
  return false;
}

async function bundleHost(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, lib: { entry: HOST, formats: ['iife'], name: 'appHost' } },
  });
  const [output] = [built].flat();
  if (output === undefined || !('output' in output)) throw new Error('The host was not built.');
  // Escaped, because the script is inlined in a page.
  return output.output[0].code.replaceAll('</script', '<\\/script');
}
