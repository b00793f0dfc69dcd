import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeZip } from '../ingest/make-docx.ts';
import { openDocumentParts, sheetRow, workbookParts } from '../ingest/make-office.ts';
import { startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';

const STATIONS = [
  ['Station', 'Height (m)', 'Opened', 'Manager'],
  ['Dunmere', '558', '1980', 'Dora Finch'],
  ['Fenbury', '404', '1843', 'Ben Crane'],
  ['Selwick', '624', '1851', 'Cyril Voss'],
];
const openCells = (row: readonly string[]) =>
  row.map((text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`).join('');

/** The same table as a file of each kind. */
const files: Readonly<Record<string, () => string | Uint8Array>> = {
  'stations.csv': () => STATIONS.map((row) => `${row.join(',')}\r\n`).join(''),
  'stations.xlsx': () =>
    makeZip(workbookParts([{ name: 'Stations', rows: STATIONS.map((row, at) => sheetRow(at + 1, row)).join('') }])),
  'stations.ods': () =>
    makeZip(
      openDocumentParts(
        'spreadsheet',
        `<table:table table:name="Stations">${STATIONS.map((row) => `<table:table-row>${openCells(row)}</table:table-row>`).join('')}</table:table>`,
      ),
    ),
};

let http: RunningHttp;
const ids = new Map<string, string>();

beforeAll(async () => {
  http = await startCitewell();
  for (const [name, content] of Object.entries(files)) {
    const form = new FormData();
    const bytes = content();
    form.append('file', new Blob([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)]), name);
    const response = await fetch(`${http.url}/v3/documents`, { method: 'POST', body: form });
    const { results } = (await response.json()) as { results: { document_id: string } };
    ids.set(name, results.document_id);
  }
});
afterAll(() => http.close());

it.each(
  Object.keys(files).flatMap((name) =>
    [
      ['What is the height of Dunmere?', '558'],
      ['Who is the manager of Selwick?', 'Cyril Voss'],
      ['When was Fenbury opened?', '1843'],
    ].map(([question = '', value = '']) => [name, question, value] as const),
  ),
)('answers from the cell of an uploaded %s: %s', async (name, query, value) => {
  const response = await http.post('/v3/retrieval/rag', {
    query,
    search_settings: { filters: { document_id: { $eq: ids.get(name) } } },
  });
  expect(response.status).toBe(200);
  const { results } = (await response.json()) as { results: { generated_answer: string; citations: object[] } };
  expect(results.generated_answer).toContain(value);
  const [row = []] = STATIONS.filter((cells) => cells.includes(value));
  for (const [station = ''] of STATIONS.slice(1)) {
    expect(results.generated_answer.includes(station)).toBe(station === row[0]);
  }
  expect(results.citations).toHaveLength(1);
});
