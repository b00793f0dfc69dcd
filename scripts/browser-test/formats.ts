import type { Page } from 'playwright-core';
import { isSameText } from '../../src/page/app/views/source/locate-quote.ts';
import { makeZip, wordParagraph, wordParts } from '../../test/ingest/make-docx.ts';
import { makeMail } from '../../test/ingest/make-mail.ts';
import { presentationParts, shape, sheetRow, workbookParts } from '../../test/ingest/make-office.ts';
import { cite } from './cite.ts';
import { markedText } from './source.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array | string;
  readonly question: string;
  /** The expected quotation, as written in the file. */
  readonly words: string;
}

/** A combining accent, and emoji made of several code units and code points. */
const CAFE = 'Cafe\u0301';
const CREW = '👩\u200d✈\ufe0f';

/** A different sentence for each format, so that a mark in the wrong document is not mistaken for the right one. */
const sentence = (boat: string, rafts: string): string => `The ${boat} carries ${rafts} life rafts & one dinghy.`;
const escaped = (text: string): string => text.replace('&', '&amp;');
const around = (words: string, between: string): string =>
  ['The harbour opens at six.', words, 'Dogs stay on the open deck.'].join(between);
const rows = (boat: string): readonly (readonly string[])[] => [
  ['Boat', 'Rafts', 'Place of the rafts'],
  ['Heron', 'nine', `${CAFE} deck`],
  [boat, 'eleven', `${CREW} bridge, aft`],
  ['Gannet', 'two', 'stern'],
];
const csvLine = (cells: readonly string[]): string => cells.map((cell) => `"${cell}"`).join(',');

const SAMPLES: readonly Sample[] = [
  {
    name: 'rafts.docx',
    bytes: makeZip(
      wordParts(
        around(escaped(sentence('Petrel', 'twelve')), '\n')
          .split('\n')
          .map((line) => wordParagraph(line))
          .join(''),
      ),
    ),
    question: 'How many life rafts does the Petrel carry?',
    words: sentence('Petrel', 'twelve'),
  },
  {
    name: 'rafts.html',
    bytes: `<!doctype html><title>Rafts</title><main><h1>Rafts</h1><p>The harbour opens at six.</p>
<p>The <b>Pu</b>ffin carries <i>four&nbsp;${CREW}</i>
   life rafts &amp; one <a href="/dinghy">din&shy;ghy</a> near the ${CAFE}.</p><p>Dogs stay on the open deck.</p></main>`,
    question: 'How many life rafts does the Puffin carry?',
    words: `The Puffin carries four ${CREW} life rafts & one dinghy near the ${CAFE}.`,
  },
  {
    name: 'rafts.md',
    bytes: `# Rafts\n\n${around(`The **Tern** carries \`five\` [life rafts](https://example.org/rafts) & one dinghy.`, '\n\n')}\n`,
    question: 'How many life rafts does the Tern carry?',
    words: 'The **Tern** carries `five` [life rafts](https://example.org/rafts) & one dinghy.',
  },
  {
    name: 'rafts.csv',
    bytes: rows('Fulmar').map(csvLine).join('\r\n'),
    question: 'Where are the eleven rafts of the Fulmar?',
    words: `Boat: Fulmar; Rafts: eleven; Place of the rafts: ${CREW} bridge, aft`,
  },
  {
    name: 'rafts.xlsx',
    bytes: makeZip(
      workbookParts([
        {
          name: 'Rafts',
          rows: rows('Skua')
            .map((cells, index) => sheetRow(index + 1, cells))
            .join(''),
        },
      ]),
    ),
    question: 'Where are the eleven rafts of the Skua?',
    words: `| Skua | eleven | ${CREW} bridge, aft |`,
  },
  {
    name: 'rafts.eml',
    bytes: makeMail('Rafts', [
      { type: 'text/plain; charset=utf-8', content: around(sentence('Auk', `seven ${CREW}`), '\r\n\r\n') },
    ]),
    question: 'How many life rafts does the Auk carry?',
    words: sentence('Auk', `seven ${CREW}`),
  },
  {
    name: 'rafts.pptx',
    bytes: makeZip(
      presentationParts([
        { shapes: shape('title', 'The fleet') + shape('body', 'The harbour opens at six.') },
        {
          shapes:
            shape('title', 'Rafts') + shape('body', escaped(sentence('Kittiwake', 'eight')), '\tDogs stay on deck.'),
        },
      ]),
    ),
    question: 'How many life rafts does the Kittiwake carry?',
    words: sentence('Kittiwake', 'eight'),
  },
  {
    name: 'rafts-crlf.txt',
    bytes: around(
      `When the weather allows it, and the mate is on board, the old Curlew\r\ncarries three ${CAFE} life rafts, which the harbour master checks in spring.`,
      '\r\n\r\n',
    ),
    question: 'How many life rafts does the Curlew carry?',
    words: `the old Curlew carries three ${CAFE} life rafts, which the harbour master checks in spring.`,
  },
  {
    name: 'rafts-emoji.txt',
    bytes: around(`👍🏽 ${CAFE} ${CREW}: ${sentence('Plover', `six ${CAFE} 🛟`)}`, ' 🚢⚓ '),
    question: 'How many life rafts does the Plover carry?',
    words: sentence('Plover', `six ${CAFE} 🛟`),
  },
];

/** In every format, the address of a citation marks exactly what was quoted. */
export const formatsSuite: BrowserSuite = {
  name: 'formats',
  async run(test) {
    for (const { name, bytes, question, words } of SAMPLES) {
      await test.check(`${name}: the quotation of an answer is marked`, async (page) => {
        const id = await test.ingestBytes(name, bytes);
        const { text } = await test.get<{ readonly text: string }>(`/documents/${id}/text`);
        const quote = await cite(test.url, id, question);
        same(text.slice(quote.start, quote.end), quote.text, 'the text at the characters of the citation');
        holds(oneLine(quote.text).includes(words), `“${quote.text}” says “${words}”`);
        same(new URL(quote.url).search, `?q=${quote.start}-${quote.end}`, 'the characters in its address');
        await page.goto(`${quote.url}&tab=text`);
        same(await markedText(page), quote.text, 'the marked text');
        const shown = (await page.locator('.source-text').textContent()) ?? '';
        same(shown.indexOf(quote.text), quote.start, 'where it begins');
        if (!name.endsWith('.html')) return;
        await page.goto(quote.url);
        const mark = page.frameLocator('.source-frame').locator('mark');
        await mark.first().waitFor();
        const marked = (await mark.allTextContents()).join('');
        holds(isSameText(marked, quote.text), `“${marked}” in the page as it is reads like “${quote.text}”`);
      });
    }
    await test.check('a quote far down in one block of a page is scrolled into view, with what precedes it', (page) =>
      checkTallBlock(test, page),
    );
  },
};

async function checkTallBlock(test: BrowserTest, page: Page): Promise<void> {
  const lines = Array.from({ length: 300 }, (_, index) => `Log of day ${index}: the wind turned twice.`);
  const id = await test.ingestBytes('log.html', `<!doctype html><title>Log</title><pre>${lines.join('\n')}</pre>`);
  const { text } = await test.get<{ readonly text: string }>(`/documents/${id}/text`);
  const line = lines[200] ?? '';
  const start = text.indexOf(line);
  await page.goto(`${test.url}/d/${id}?q=${start}-${start + line.length}`);
  const mark = page.frameLocator('.source-frame').locator('mark');
  await mark.waitFor();
  const [frame, box] = [await page.locator('.source-frame').boundingBox(), await mark.boundingBox()];
  const above = (box?.y ?? 0) - (frame?.y ?? 0);
  holds(above > 100 && above < (frame?.height ?? 0) - 100, `the mark is ${above} pixels below the top of the frame`);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
