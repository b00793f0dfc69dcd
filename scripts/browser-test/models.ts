import { fakeLocalServer } from '../../test/support/fake-local-servers.ts';
import { withServer } from './server.ts';
import { type BrowserSuite, holds } from './suite.ts';

/** Choosing a model of a local model server. */
export const modelsSuite: BrowserSuite = {
  name: 'models',
  async run(test) {
    const ollama = await fakeLocalServer('ollama');
    try {
      await withServer({ CITEWELL_LOCAL_MODELS: `ollama=${ollama.address}` }, async ({ url }) => {
        const own = test.at(url);
        await own.ingestBytes('crew.md', '# Crew\n\nThe mate checks the life rafts.');
        await own.check('nothing is looked for before settings are opened', async (page) => {
          await page.goto(`${url}/library`, { waitUntil: 'networkidle' });
          holds(ollama.requests.length === 0, `no request: ${ollama.requests.join(', ')}`);
        });
        await own.check('a found model answers the questions of this browser, also after a reload', async (page) => {
          await page.goto(`${url}/settings`);
          const model = page.locator('.found-models li').filter({ hasText: 'ollama/qwen3:8b' });
          await model.getByText('40,960 tokens of context, said to call tools').waitFor();
          await model.getByText('CITEWELL_MODEL=ollama/qwen3:8b').waitFor();
          await page.getByText('CITEWELL_EMBEDDING_MODEL=ollama/nomic-embed-text:latest').waitFor();
          await model.getByRole('button', { name: 'Use for my questions' }).click();
          await page.goto(url);
          await page.getByLabel('Question').fill('Who checks the life rafts?');
          await page.getByRole('button', { name: 'Ask', exact: true }).click();
          await page.locator('.answer-text').getByText('The mate.').waitFor();
          await page.getByText('ollama/qwen3:8b').first().waitFor();
          await page.goto(`${url}/settings`);
          await page.getByRole('button', { name: 'Use the configured model again' }).click();
          await page.goto(url);
          await page.getByText('No language model is used').waitFor();
        });
      });
    } finally {
      ollama.close();
    }
  },
};
