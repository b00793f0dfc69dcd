import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startCuttingProxy } from './cutting-proxy.ts';
import { type GivenPassage, type PageModel, type ScriptedAnswer, startPageModel } from './page-model.ts';
import { startServer, withFolder } from './server.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';
import { untilStored } from './until-stored.ts';

const QUESTION = 'Who checks the life rafts?';
const KINDS = ['answer', 'agent'] as const;
type Kind = (typeof KINDS)[number];
const SENTENCES = 12;
/** The model pauses in the middle of a sentence. */
const WORDS_BEFORE_PAUSE = 40;

/** Answers arrive complete, whatever happens to the page, the connection or the server in between. */
export const streamsSuite: BrowserSuite = {
  name: 'streams',
  async run(test) {
    const model = await startPageModel();
    try {
      await withFolder(async (folder) => {
        let server = await startServer(folder, model.settings);
        const parts: Parts = {
          test: test.at(server.url),
          model,
          async kill() {
            await server.kill();
          },
          async restart() {
            server = await startServer(folder, model.settings, new URL(server.url).port);
          },
        };
        try {
          await parts.test.ingest(fileURLToPath(new URL('../samples/handbook.md', import.meta.url)));
          for (const kind of KINDS) {
            await checkReload(parts, kind);
            await checkAbsence(parts, kind);
            await checkCut(parts, kind);
            await checkRestart(parts, kind);
            await checkReloadAfterRestart(parts, kind);
          }
          await checkLongOutage(parts);
          await checkSpeech(parts);
          await checkStop(parts);
          await checkOtherViews(parts);
        } finally {
          await server.stop();
        }
      });
    } finally {
      await model.close();
    }
  },
};

interface Parts {
  readonly test: BrowserTest;
  readonly model: PageModel;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Sentences of unique words, so that lost and repeated words show; with a citation and a marker to be removed. */
const sentences = (passages: readonly GivenPassage[]): readonly string[] => {
  const number = passages.find(({ text }) => text.includes('life rafts'))?.number;
  return Array.from({ length: SENTENCES }, (_, index) => {
    const cited = index === 1 && number !== undefined ? ` [${number}]` : index === 2 ? ' [99]' : '';
    return `Sentence ${index} says word${index}a and word${index}b and word${index}c${cited}.`;
  });
};

const expected = sentences([])
  .join(' ')
  .replaceAll(/ \[\d+\]/g, '');

/** Lets the model answer and pause in the middle, until the returned function is called. */
export function pauseInTheMiddle(model: PageModel): () => void {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  model.answers(
    (passages): ScriptedAnswer => ({
      text: sentences(passages).join(' '),
      pause: { after: WORDS_BEFORE_PAUSE, until },
    }),
  );
  return resolve;
}

const answerWholly = (model: PageModel): void => model.answers((passages) => ({ text: sentences(passages).join(' ') }));

/** The text of the last answer without its chips and notes. */
const shownText = async (page: Page): Promise<string> =>
  String(
    await page.evaluate(`(() => {
      const copy = [...document.querySelectorAll('.turn .answer-text')].at(-1).cloneNode(true);
      for (const each of copy.querySelectorAll('.chip, .unsupported-note')) each.remove();
      return copy.textContent.replace(/\\s+([.])/g, '$1').replace(/\\s+/g, ' ').trim();
    })()`),
  );

async function ask(page: Page, { test }: Parts, kind: Kind): Promise<void> {
  await page.goto(`${test.url}/?kind=${kind}`);
  await page.getByLabel('Question').fill(QUESTION);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
}

/** Waits until the part before the pause is shown. The service may hold back its last words. */
export async function showsBeginning(page: Page): Promise<void> {
  await page.locator('.turn .answer-text').filter({ hasText: 'word3c' }).waitFor();
  await page.waitForURL(/conversation=/);
}

export async function showsWholeAnswer(page: Page): Promise<void> {
  await page.locator('.turn[aria-busy=false]').last().waitFor();
  // Until the Markdown renderer is loaded, an answer is shown as plain text.
  await page
    .locator('.turn .answer-text:not(.plain)')
    .last()
    .filter({ hasText: `word${SENTENCES - 1}c` })
    .waitFor();
  same(await shownText(page), expected, 'the answer');
  same(await page.locator('.turn').count(), 1, 'the number of answers');
  same(await page.locator('.waiting').count(), 0, 'the number of waiting notes');
}

/** Checks the message for an answer that cannot be continued, and that asking again gives the answer. */
async function recovers(page: Page, model: PageModel): Promise<void> {
  const turn = page.locator('.turn').last();
  await turn.getByText(/The server was restarted|could not be restored|was interrupted|The answer so far/).waitFor();
  same(await turn.getAttribute('aria-busy'), 'false', 'whether the answer is still awaited');
  same(await page.locator('.waiting').count(), 0, 'the number of waiting notes');
  answerWholly(model);
  await turn.getByRole('button', { name: 'Try again' }).click();
  await showsWholeAnswer(page);
}

async function checkReload(parts: Parts, kind: Kind): Promise<void> {
  await parts.test.check(`a reload in the middle takes the stream up again (${kind})`, async (page) => {
    const continueModel = pauseInTheMiddle(parts.model);
    await ask(page, parts, kind);
    for (let reload = 0; reload < 2; reload++) {
      await showsBeginning(page);
      await page.reload();
    }
    await showsBeginning(page);
    holds(!(await shownText(page)).includes(`word${SENTENCES - 1}c`), 'the answer is not complete yet');
    continueModel();
    await showsWholeAnswer(page);
    await page.reload();
    await showsWholeAnswer(page);
  });
}

async function checkAbsence(parts: Parts, kind: Kind): Promise<void> {
  await parts.test.check(`an answer that ended without the page is complete afterwards (${kind})`, async (page) => {
    const continueModel = pauseInTheMiddle(parts.model);
    await ask(page, parts, kind);
    await showsBeginning(page);
    const address = page.url();
    await page.goto('about:blank');
    continueModel();
    await page.goto(address);
    await showsWholeAnswer(page);
  });
}

async function checkCut(parts: Parts, kind: Kind): Promise<void> {
  await parts.test.check(`a lost connection costs no word of the answer (${kind})`, async (page) => {
    const proxy = await startCuttingProxy(parts.test.url);
    try {
      const continueModel = pauseInTheMiddle(parts.model);
      await ask(page, { ...parts, test: parts.test.at(proxy.url) }, kind);
      await showsBeginning(page);
      const resumed = page.waitForResponse(/\/runs\/[^/]+\/events/);
      proxy.cut();
      await resumed;
      continueModel();
      await showsWholeAnswer(page);
    } finally {
      await proxy.close();
    }
  });
}

async function checkRestart(parts: Parts, kind: Kind): Promise<void> {
  await parts.test.check(`a server that is killed and restarted in the middle is reported (${kind})`, async (page) => {
    const continueModel = pauseInTheMiddle(parts.model);
    await ask(page, parts, kind);
    await showsBeginning(page);
    await parts.kill();
    try {
      await page.getByText('The connection was lost. Reconnecting…').waitFor();
    } finally {
      continueModel();
      await parts.restart();
    }
    await page.getByText('The part received so far is shown.').waitFor();
    holds(expected.startsWith(await shownText(page)), 'the part received stays');
    await recovers(page, parts.model);
  });
}

async function checkLongOutage(parts: Parts): Promise<void> {
  const title = 'the part received stays when the tab is looked at again after the server was away for minutes';
  await parts.test.check(title, async (page) => {
    await page.clock.install();
    const continueModel = pauseInTheMiddle(parts.model);
    await ask(page, parts, 'answer');
    await showsBeginning(page);
    await parts.kill();
    const ended = page.getByText('could not be restored in time. The part received so far is shown.');
    try {
      // Passes the pauses between the attempts to reconnect.
      while (!(await ended.isVisible())) await page.clock.runFor(10_000);
    } finally {
      continueModel();
      await parts.restart();
    }
    const before = await shownText(page);
    const looked = page.waitForResponse('**/v3/retrieval/runs');
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await (await looked).finished();
    await page.clock.runFor(1_000);
    same(await shownText(page), before, 'the answer');
    holds(before !== '' && expected.startsWith(before), 'the part received stays');
    await ended.waitFor();
    await recovers(page, parts.model);
  });
}

async function checkReloadAfterRestart(parts: Parts, kind: Kind): Promise<void> {
  await parts.test.check(`a page opened after the restart offers to ask again (${kind})`, async (page) => {
    const continueModel = pauseInTheMiddle(parts.model);
    await ask(page, parts, kind);
    await showsBeginning(page);
    const address = page.url();
    await parts.kill();
    continueModel();
    await page.goto('about:blank');
    await parts.restart();
    await page.goto(address);
    await recovers(page, parts.model);
  });
}

/** Screen readers announce each sentence once, even if the service removes a marker from the final text. */
async function checkSpeech(parts: Parts): Promise<void> {
  await parts.test.check(
    'each sentence is announced once',
    async (page) => {
      await page.addInitScript(`
      window.heard = [];
      new MutationObserver(() => {
        const region = document.querySelector('[role=status][aria-live=polite]');
        const text = region?.textContent ?? '';
        if (text !== '' && text !== window.heard.at(-1)) window.heard.push(text);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    `);
      const continueModel = pauseInTheMiddle(parts.model);
      await ask(page, parts, 'answer');
      await showsBeginning(page);
      const firstSentences = expected
        .split(/(?<=\.)\s/)
        .slice(0, 2)
        .join(' ');
      await page.waitForFunction(`window.heard.join(' ').includes(${JSON.stringify(firstSentences)})`);
      continueModel();
      await page.waitForFunction(`window.heard.join(' ').includes('word${SENTENCES - 1}c')`);
      const heard = (await page.evaluate('window.heard')) as readonly string[];
      holds(heard.length > 1, 'the beginning is announced before the end');
      same(heard.join(' ').replaceAll(/\s+\./g, '.'), expected, 'what was announced');
    },
    { bypassCSP: true },
  );
}

async function checkStop(parts: Parts): Promise<void> {
  await parts.test.check(
    'a stopped answer stays as far as it came, and the next question can be typed',
    async (page) => {
      const continueModel = pauseInTheMiddle(parts.model);
      await ask(page, parts, 'answer');
      await showsBeginning(page);
      const stop = page.getByRole('button', { name: 'Stop', exact: true });
      await stop.focus();
      await page.keyboard.press('Enter');
      await page.getByText('Stopped. The answer so far is shown.').waitFor();
      continueModel();
      holds((await shownText(page)) !== '' && expected.startsWith(await shownText(page)), 'the part received stays');
      await page.locator(':focus').and(page.getByLabel('Question')).waitFor();
    },
  );
  await parts.test.check('an answer is also stopped whose service has not responded yet', async (page) => {
    const continueModel = pauseInTheMiddle(parts.model);
    let respond = () => {};
    const isLate = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route('**/v3/retrieval/rag', async (route) => {
      await isLate;
      await route.continue();
    });
    await ask(page, parts, 'answer');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stopping…' }).waitFor();
    respond();
    await page.locator('.halted').getByRole('button', { name: 'Try again' }).waitFor();
    continueModel();
  });
  for (const kind of ['answer', 'agent'] as const) {
    await parts.test.check(`a stopped ${kind} is the same after a reload, and is marked as stopped`, async (page) => {
      const continueModel = pauseInTheMiddle(parts.model);
      await ask(page, parts, kind);
      await showsBeginning(page);
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      const stopped = page.getByText('Stopped. The answer so far is shown.');
      await stopped.waitFor();
      const before = await shownText(page);
      await untilStored(page);
      continueModel();
      await page.reload();
      await stopped.waitFor();
      await page.locator('.turn .answer-text:not(.plain)').last().waitFor();
      same(await shownText(page), before, 'the text after a reload');
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    });
  }
}

async function checkOtherViews({ test, kill, restart }: Parts): Promise<void> {
  await test.check('a server that is away is named in the library, which can be loaded again', async (page) => {
    await page.goto(`${test.url}/library`);
    await page.locator('.documents').getByRole('link').first().waitFor();
    await kill();
    try {
      await page.getByLabel('State').selectOption('failed');
      await page.getByText('The server cannot be reached.').first().waitFor();
    } finally {
      await restart();
    }
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('No document matches.').waitFor();
  });
}
