import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

const NAMES = ['Ferry', 'Harbour', 'Lighthouse', 'Keeper', 'Pilot', 'Winch', 'Crane', 'Buoy', 'Mole', 'Slipway'];

/** The drawing of the graph; its table and panel are tested with the keyboard. */
export const graphSuite: BrowserSuite = {
  name: 'graph',
  async run(test) {
    const collection = await makeGraph(test);
    await test.check('says that the drawing is loading until it is drawn', async (page) => {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await page.route(/draw-graph/, async (request) => {
        await isReleased;
        await request.continue();
      });
      await page.goto(`${test.url}/graph?collection=${collection}`);
      const notice = page.locator('.graph-frame .notice');
      await notice.waitFor();
      same(await notice.innerText(), 'Loading…', 'the notice');
      same(await page.locator('.graph-canvas canvas').count(), 0, 'the number of drawings');
      release();
      await page.locator('.graph-canvas canvas').first().waitFor({ state: 'attached' });
      await notice.waitFor({ state: 'detached' });
    });
    await test.check('says when it cannot be drawn', async (page) => {
      await page.route(/draw-graph/, (request) => request.abort());
      await page.goto(`${test.url}/graph?collection=${collection}`);
      await page.getByRole('alert').waitFor();
      same(await page.locator('.graph-frame .notice').count(), 0, 'the number of notices');
    });
    await test.check(
      'names all entities of a small graph, outlined so that lines behind them do not matter',
      async (page) => {
        await page.addInitScript(RECORD_LABELS);
        await page.goto(`${test.url}/graph?collection=${collection}`);
        await page.waitForFunction(`filled.length >= ${NAMES.length}`);
        const drawn = await page.evaluate<{ filled: string[]; outlined: string[] }>('({ filled, outlined })');
        const { filled, outlined } = drawn;
        for (const name of NAMES) holds(filled.includes(name), `${name} is named`);
        same(outlined.join(), filled.join(), 'the outlined labels');
      },
      // The policy of the page forbids to evaluate a text repeatedly, as `waitForFunction` does.
      { bypassCSP: true },
    );
    await test.check(
      'an opened entity is in sight on a phone, where its panel is below the drawing',
      async (page) => {
        await page.goto(`${test.url}/graph?collection=${collection}`);
        await page.getByLabel('Find an entity').fill('lighthouse');
        await page.keyboard.press('Enter');
        const heading = page.locator('.graph-panel h2:focus');
        await heading.waitFor();
        const box = await heading.boundingBox();
        holds(box !== null && box.y > 0 && box.y + box.height < 700, `the name is in sight (${JSON.stringify(box)})`);
      },
      { viewport: { width: 390, height: 700 } },
    );
  },
};

/** Runs in the page before its own scripts: records the texts that are drawn and outlined on canvases. */
const RECORD_LABELS = `
  globalThis.filled = [];
  globalThis.outlined = [];
  for (const [method, texts] of [['fillText', filled], ['strokeText', outlined]]) {
    const draw = CanvasRenderingContext2D.prototype[method];
    CanvasRenderingContext2D.prototype[method] = function (...args) {
      texts.push(args[0]);
      draw.apply(this, args);
    };
  }`;

/** Makes a collection with a graph of entities, each related to the next; returns its identifier. */
async function makeGraph({ url }: BrowserTest): Promise<string> {
  const post = async (path: string, body: unknown): Promise<string> => {
    const response = await fetch(`${url}/v3${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { results: { id: string } }).results.id;
  };
  const collection = await post('/collections', { name: 'Drawn' });
  const ids: string[] = [];
  for (const name of NAMES) {
    ids.push(await post(`/graphs/${collection}/entities`, { name, description: `${name} of the harbour` }));
  }
  for (const [index, name] of NAMES.entries()) {
    const other = (index + 1) % NAMES.length;
    await post(`/graphs/${collection}/relationships`, {
      subject: name,
      subject_id: ids[index],
      predicate: 'is near',
      object: NAMES[other],
      object_id: ids[other],
      description: `${name} is near ${NAMES[other]}.`,
    });
  }
  return collection;
}
