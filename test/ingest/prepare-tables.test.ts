import { describe, expect, it } from 'vitest';
import { prepareDocument } from '../../src/ingest/prepare-document.ts';
import { chooseQuotes } from '../../src/models/extractive/choose-quotes.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { makeZip } from './make-docx.ts';
import { sheetRow, workbookParts } from './make-office.ts';

const analyser = { analyse, analyseQuery };

type Rows = readonly (readonly (string | number)[])[];

const workbook = (sheets: Readonly<Record<string, Rows>>): Uint8Array =>
  makeZip(
    workbookParts(
      Object.entries(sheets).map(([name, rows]) => ({
        name,
        rows: rows.map((cells, index) => sheetRow(index + 1, cells)).join(''),
      })),
    ),
  );
const csv = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The cell that the answer without a model names, in a quote of its row. */
async function cellFor(question: string, fileName: string, bytes: Uint8Array): Promise<unknown> {
  const type = fileName.split('.').at(-1) ?? '';
  const job = { bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: true } as const;
  const { text, chunks } = await prepareDocument(job, AbortSignal.timeout(60_000));
  const sources = chunks.map((chunk) => ({ text: chunk.text, about: [fileName, ...chunk.headingPath].join('\n') }));
  const { quotes } = chooseQuotes({ question, sources, analyser });
  const [best] = quotes;
  if (best?.cell === undefined) return quotes;
  const { row, column, value } = best.cell;
  const chunk = chunks[best.sourceIndex];
  const quoted = text.slice((chunk?.start ?? 0) + best.start, (chunk?.start ?? 0) + best.end);
  expect(quoted).toContain(value);
  return [row, column, value];
}

const YEARS = 'Country,2019,2020\nNorway,5.33,5.37\nSweden,10.23,10.35\nDenmark,5.81,5.83\n';
const CORNER = ',Coal,Gas,Wind\nNorway,1,22,14\nSweden,2,1,33\nDenmark,11,4,55\n';
const TITLED = 'Revenue of the Nordwind group,,,\n,,,\nRegion,Q1,Q2,Q3\nNorth,101,102,103\nSouth,201,202,203\n';
const REMARKS =
  'Number of the station in the network,City,Remark\n17,Aalen,"Closed. Moved in 2020."\n18,Bremen,"Open. New sensor."\n';
const LEDGER = { 'P&L': [['Nordwind AG'], ['', '2021', '2022'], ['Net sales', 412, 430], ['Net profit', 31, 28]] };
const TWO_SHEETS = {
  Fares: [
    ['Route', 'Price', 'Days'],
    ['North', 12.5, 'Mon-Fri'],
    ['South', 14, 'daily'],
  ],
  Staff: [
    ['Name', 'Role', 'Phone'],
    ['Ada Berg', 'Captain', 4711],
    ['Ben Holm', 'Cook', 4712],
  ],
};

describe('a question for the value of a column in a row', () => {
  it.each([
    ['columns named by years', 'How many people lived in Sweden in 2019?', YEARS, ['Sweden', '2019', '10.23']],
    ['an empty corner', 'What is the wind share in Sweden?', CORNER, ['Sweden', 'Wind', '33']],
    ['a title above', 'What is Q2 for region South?', TITLED, ['South', 'Q2', '202']],
    [
      'repeated names',
      'What is the value of Beta?',
      'Name,Value,Value\nAlpha,10,20\nBeta,30,40\n',
      ['Beta', 'Value', '30'],
    ],
    ['long names and sentences', 'remark for Aalen', REMARKS, ['Aalen', 'Remark', 'Closed. Moved in 2020.']],
  ])('is answered from a data file with %s', async (_, question, text, cell) => {
    expect(await cellFor(question, 'a.csv', csv(text))).toEqual(cell);
  });

  it.each([
    ['a ledger', 'What was the net profit in 2022?', LEDGER, ['Net profit', '2022', '28']],
    ['its second sheet', 'What is the phone of Ben Holm?', TWO_SHEETS, ['Ben Holm', 'Phone', '4712']],
  ])('is answered from a workbook with %s', async (_, question, sheets, cell) => {
    expect(await cellFor(question, 'a.xlsx', workbook(sheets))).toEqual(cell);
  });
});
