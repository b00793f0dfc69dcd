import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { foldText } from '../../src/page/app/views/source/locate-quote.ts';
import { seededRandom } from '../seeded-random.ts';
import { hasMutool, lettersOf, type PlacedLetter } from './pdf-letters.ts';
import { type BrowserSuite, type BrowserTest, holds } from './suite.ts';

const FIXTURES = fileURLToPath(new URL('../../test/fixtures/pdfs', import.meta.url));
const SEED = 20_261_122;
const MIN_LETTERS = 15;
const MAX_LETTERS = 400;
/** At least this share of the quotes must be marked exactly; none may be marked wrongly. */
const MIN_EXACT = 0.97;
/** With more missing or additional letters than this, other words are marked. */
const NEAR_LETTERS = 2;

interface QuoteOptions {
  readonly folder?: string | undefined;
  /** Number of sentences quoted of each PDF. */
  readonly sentences: number;
}

interface Quote {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly page: number;
}

const outcomes = ['exact', 'near', 'wrong', 'unmarked'] as const;
/** `near` differs by a few letters, e.g. one that the engines map differently; it does not count as exact. */
type Outcome = (typeof outcomes)[number];
type Counts = Record<Outcome, number>;

const noCounts = (): Counts => ({ exact: 0, near: 0, wrong: 0, unmarked: 0 });

/**
 * Quotes sentences of real PDFs, and determines which letters the marks cover from the letter positions of another PDF
 * engine. Sentences are chosen by a seeded random generator.
 */
export const pdfQuotesSuite = ({ folder = FIXTURES, sentences }: QuoteOptions): BrowserSuite => ({
  name: 'pdf-quotes',
  async run(test) {
    if (!(await hasMutool())) {
      console.log('  NOT RUN: mutool is missing (on Debian: apt-get install mupdf-tools).');
      return;
    }
    const paths = (await readdir(folder)).filter((name) => name.endsWith('.pdf')).map((name) => join(folder, name));
    const total = noCounts();
    for (const path of paths.toSorted()) {
      await test.check(`${basename(path)} is marked where it is quoted`, async (page) => {
        const counts = await quoteFile(test, page, path, sentences);
        for (const outcome of outcomes) total[outcome] += counts[outcome];
        console.log(`          ${tableRow(counts)}  ${basename(path)}`);
        holds(counts.wrong === 0, 'nothing else is marked');
      });
    }
    console.log(`          ${tableRow(total)}  in all`);
    await test.check(`${MIN_EXACT * 100} % of the sentences are marked exactly`, async () => {
      const all = outcomes.reduce((sum, outcome) => sum + total[outcome], 0);
      holds(total.exact >= MIN_EXACT * all, `${total.exact} of ${all} are enough`);
    });
  },
});

const tableRow = (counts: Counts): string => outcomes.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');

async function quoteFile(test: BrowserTest, page: Page, path: string, sentences: number) {
  const id = await test.ingest(path);
  const counts = noCounts();
  const pages = new Map<number, Promise<PlacedLetter[]>>();
  const letters = (number: number) => {
    const known = pages.get(number) ?? lettersOf(path, number);
    pages.set(number, known);
    return known;
  };
  for (const quote of await chooseQuotes(test, id, sentences)) {
    await page.goto(`${test.url}/d/${id}?q=${quote.start}-${quote.end}`);
    await page.locator('.pdf-marks i, .source-text mark').first().waitFor({ state: 'attached' });
    const marks = await readMarks(page);
    const covered = new Set<PlacedLetter>();
    for (const mark of marks) for (const letter of coveredBy(mark, await letters(mark.page))) covered.add(letter);
    const text = [...covered].map(({ letter }) => letter).join('');
    const outcome =
      marks.length === 0 ? 'unmarked' : marks[0]?.page === quote.page ? compare(text, quote.text) : 'wrong';
    counts[outcome]++;
    if (outcome !== 'exact') {
      const place = `${basename(path)} page ${quote.page} characters ${quote.start}-${quote.end}`;
      console.log(`          ${outcome}: ${place}: “${quote.text}”`);
      if (outcome !== 'unmarked') console.log(`            covers “${text}” on page ${marks[0]?.page}`);
    }
  }
  return counts;
}

interface TextRecord {
  readonly text: string;
  readonly pages: readonly { readonly number: number; readonly start: number; readonly end: number }[];
}

/** Chooses sentences of the extracted text, in any language, and rows of tables. */
async function chooseQuotes(test: BrowserTest, id: string, count: number): Promise<Quote[]> {
  const { text, pages } = await test.get<TextRecord>(`/documents/${id}/text`);
  const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  const all = [...text.matchAll(/[^\n]+/g)].flatMap(({ 0: line, index: lineStart }) =>
    [...sentences.segment(line)].flatMap(({ segment, index }): Quote[] => {
      const words = segment.trim();
      const start = lineStart + index + segment.indexOf(words);
      const letters = foldText(words).text.length;
      const page = pages.find((each) => each.start <= start && start < each.end)?.number;
      if (page === undefined || letters < MIN_LETTERS || letters > MAX_LETTERS) return [];
      return [{ start, end: start + words.length, text: words, page }];
    }),
  );
  const random = seededRandom(SEED);
  return all
    .map((quote) => ({ quote, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, count)
    .map(({ quote }) => quote);
}

interface MarkArea {
  readonly page: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The areas of the marks, in fractions of their page. */
const readMarks = (page: Page): Promise<MarkArea[]> => page.evaluate<MarkArea[]>(READ_MARKS);

const READ_MARKS = `[...document.querySelectorAll('.pdf-marks i')].map((mark) => {
  const holder = mark.closest('.pdf-page');
  const box = holder.querySelector('.pdf-drawing').getBoundingClientRect();
  const area = mark.getBoundingClientRect();
  return {
    page: Number(holder.dataset.page),
    left: (area.left - box.left) / box.width,
    right: (area.right - box.left) / box.width,
    top: (area.top - box.top) / box.height,
    bottom: (area.bottom - box.top) / box.height,
  };
})`;

const coveredBy = ({ left, right, top, bottom }: MarkArea, letters: readonly PlacedLetter[]): PlacedLetter[] =>
  letters.filter(({ x, y }) => left <= x && x <= right && top <= y && y <= bottom);

/**
 * Compares letters regardless of their order, because engines order those of right-to-left and rotated lines
 * differently. Ignores accents, which formulas place apart from their letters, and that engines map angle brackets to
 * mathematical or to East Asian ones.
 */
function compare(covered: string, quote: string): 'exact' | 'near' | 'wrong' {
  const letters = (text: string) => [
    ...foldText(text).text.replace(/\p{M}/gu, '').replaceAll('\u27e8', '\u3008').replaceAll('\u27e9', '\u3009'),
  ];
  const missing = letters(quote);
  const additional = letters(covered).filter((letter) => {
    const index = missing.indexOf(letter);
    if (index >= 0) missing.splice(index, 1);
    return index < 0;
  });
  const differences = Math.max(missing.length, additional.length);
  return differences === 0 ? 'exact' : differences <= NEAR_LETTERS ? 'near' : 'wrong';
}
