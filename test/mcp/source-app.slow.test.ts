import { expect, it, onTestFinished } from 'vitest';
import { findChromium, startChromium } from '../../scripts/browser-test/chromium.ts';
import { APP_MIME_TYPE, SOURCE_APP_URI } from '../../src/mcp/source-app.ts';
import { PATIENT } from '../support/patience.ts';
import { startInProcess } from './support/in-process.ts';

const TEXT = `Tea grows on the wet hills of Assam.\n\n${'Rain falls there. '.repeat(200)}\n\nThe first harvest of the year begins in March.\n\n${'Leaves are dried. '.repeat(200)}`;

/** What a host does: it answers the app and hands it the result of the call. */
const HOST = `(source, given) => {
  const frame = document.querySelector('iframe');
  const post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.seen = [];
  window.addEventListener('message', async ({ data }) => {
    window.seen.push(data.method);
    if (data.id !== undefined) post({ id: data.id, result: await window.serve(data.method, data.params) });
    if (data.method === 'ui/notifications/initialized') post({ method: 'ui/notifications/tool-result', params: given });
  });
  frame.srcdoc = source;
}`;

it('shows the cited passage in a frame of a host that shows apps', async () => {
  const mcp = await startInProcess();
  await mcp.add('Tea', TEXT);
  const client = await mcp.connect();
  const { tools } = await client.listTools();
  const linked = tools.filter(({ _meta }) => JSON.stringify(_meta ?? {}).includes(SOURCE_APP_URI));
  expect(linked.map(({ name }) => name)).toEqual(['search_file_knowledge', 'rag', 'check_citations']);
  const { contents } = await client.readResource({ uri: SOURCE_APP_URI });
  const [page] = contents;
  expect(page?.mimeType).toBe(APP_MIME_TYPE);
  const html = page && 'text' in page ? page.text : '';
  // The host decides what an app may load, by default nothing.
  expect(html).not.toMatch(/https?:\/\//);

  const browser = await startChromium(findChromium(process.env['CHROMIUM']) ?? 'chromium');
  onTestFinished(() => browser.close());
  const tab = await browser.newPage();
  await tab.exposeFunction('serve', async (method: string, params: never) =>
    method === 'tools/call' ? client.callTool(params) : {},
  );
  const answer = 'The first harvest of the year begins in March. Tea grows on the wet hills of Assam.';
  const result = await client.callTool({ name: 'check_citations', arguments: { answer } });
  const { statements } = result.structuredContent as {
    readonly statements: { readonly evidence: { quote: string } }[];
  };
  expect(statements[0]?.evidence.quote).toContain('The first harvest');
  await tab.setContent('<iframe sandbox="allow-scripts" style="width:600px;height:400px"></iframe>');
  // As text: it runs in the page, which has other types than the tests.
  await tab.evaluate(`(${HOST})(${JSON.stringify(html)}, ${JSON.stringify(result)})`);
  const shown = tab.frameLocator('iframe');
  await shown.locator('mark').waitFor({ timeout: PATIENT.timeout });
  expect(await shown.locator('mark').textContent()).toBe(statements[0]?.evidence.quote);
  expect(await shown.locator('h1').textContent()).toMatch(/^Tea · characters \d+-\d+ of \d+$/);
  expect(await shown.locator('button').count()).toBe(2);
  const seen = await tab.evaluate('window.seen');
  expect(seen).toEqual(expect.arrayContaining(['ui/initialize', 'ui/notifications/initialized', 'tools/call']));
});
