import { describe, expect, it } from 'vitest';
import { createSheetBudget } from '../../../src/ingest/readers/office/sheet-rows.ts';
import { makeZip } from '../make-docx.ts';
import { openDocumentParts, sheetRow, type TestSheet, workbookParts } from '../make-office.ts';
import { blocksOf, readFile } from './support.ts';

const readWorkbook = (sheets: readonly TestSheet[], options?: Parameters<typeof workbookParts>[1]) =>
  readFile('a.xlsx', makeZip(workbookParts(sheets, options)));
const sheet = (...rows: readonly (readonly (string | number)[])[]): TestSheet => ({
  name: 'Fares',
  rows: rows.map((cells, index) => sheetRow(index + 1, cells)).join(''),
});

describe('a workbook', () => {
  it('has a heading and a table for each sheet', async () => {
    const read = await readWorkbook([sheet(['Route', 'Price'], ['North', 12.5], ['South | East', 14])]);
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Fares'],
      ['table', '| Route | Price |\n| --- | --- |\n| North | 12.5 |\n| South \\| East | 14 |'],
    ]);
    expect(read.metadata).toMatchObject({ sheets: ['Fares'] });
  });

  it('formats numbers as the sheet does, and dates in ISO 8601', async () => {
    const formats = ['0%', '$#,##0.00', 'd/m/yy', 'd/m/yy h:mm', '[h]:mm', 'mmm yyyy', '0.000 &quot;kg&quot;'];
    const cells = [0.125, 1234.5, 45_000, 45_000.75, 1.5, 45_000, 2]
      .map((value, index) => `<c s="${index + 1}"><v>${value}</v></c>`)
      .join('');
    const read = await readWorkbook([{ name: 'S', rows: `<row>${cells}</row><row>${cells}</row>` }], { formats });
    expect(read.text).toContain('| 13% | $1,234.50 | 2023-03-15 | 2023-03-15 18:00 | 36:00 | Mar 2023 | 2.000 kg |');
  });

  it('uses the 1904 date system if the workbook does', async () => {
    const rows = '<row><c t="inlineStr"><is><t>Day</t></is></c><c s="1"><v>0</v></c></row>';
    const read = await readWorkbook([{ name: 'S', rows }], {
      formats: ['yyyy-mm-dd'],
      properties: '<workbookPr date1904="1"/>',
    });
    expect(read.text).toContain('1904-01-01');
  });

  it('gives cached formula values, errors, booleans, and formulas without a cached value', async () => {
    const rows =
      '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1" t="str"><f>A1&amp;"x"</f><v>2x</v></c><c r="C1" t="e"><v>#N/A</v></c><c r="D1" t="b"><v>1</v></c><c r="E1"><f>SUM(A1:B1)</f></c></row>';
    expect((await readWorkbook([{ name: 'S', rows }])).text).toContain(
      '2  2x  #N/A  TRUE  =SUM(A1:B1)'.replaceAll('  ', ' | '),
    );
  });

  it('reads shared strings without phonetic annotations', async () => {
    const rows = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>';
    const strings = ['One</t></si><si><r><t>Two</t></r><rPh><t>TOO</t></rPh><r><t> and a half</t></r></si><si><t>'];
    expect((await readWorkbook([{ name: 'S', rows }], { strings })).text).toContain('| One | Two and a half |');
  });

  it('repeats merged cells in each row they cover, but a title only once', async () => {
    const rows = `${sheetRow(1, ['Ferries of the north'])}${sheetRow(3, ['Line', 'Day', 'Boats'])}${sheetRow(4, ['North', 'Monday', 3])}<row r="5"><c r="B5" t="inlineStr"><is><t>Tuesday</t></is></c><c r="C5"><v>4</v></c></row>`;
    const after = '<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="A4:A5"/></mergeCells>';
    const read = await readWorkbook([{ name: 'S', rows, after }]);
    expect(blocksOf(read).slice(1)).toEqual([
      ['paragraph', 'Ferries of the north'],
      ['table', '| Line | Day | Boats |\n| --- | --- | --- |\n| North | Monday | 3 |\n| North | Tuesday | 4 |'],
    ]);
  });

  it('joins names of columns that stand in several rows, grouped by merged cells', async () => {
    const rows = [
      ['Line', '2023', '', '2024'],
      ['', 'Passengers', 'Cars', 'Passengers', 'Cars'],
      ['North', 12_040, 3100, 13_555, 3322],
    ].map((cells, index) => sheetRow(index + 1, cells));
    const after = '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>';
    const read = await readWorkbook([{ name: 'S', rows: rows.join(''), after }]);
    expect(blocksOf(read).at(-1)).toEqual([
      'table',
      '| Line | 2023 Passengers | 2023 Cars | 2024 Passengers | 2024 Cars |\n| --- | --- | --- | --- | --- |\n| North | 12040 | 3100 | 13555 | 3322 |',
    ]);
  });

  it('takes no row of data for names of columns, although the first row has merged cells', async () => {
    const rows = `${sheetRow(1, ['Name', 'Reached at'])}${sheetRow(2, ['Hanna Lind', 'harbour', 'office 4b'])}${sheetRow(3, ['Olof Berg', 'crane', 'office 5'])}`;
    const after = '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>';
    const read = await readWorkbook([{ name: 'S', rows, after }]);
    expect(blocksOf(read).at(-1)?.[1]).toContain(
      '| Name | Reached at | Reached at |\n| --- | --- | --- |\n| Hanna Lind |',
    );
  });

  it('keeps the column names below a blank row', async () => {
    const rows = `${sheetRow(1, ['Line', 'Boats'])}${sheetRow(2, ['North', 3])}${sheetRow(4, ['South', 4])}`;
    const read = await readWorkbook([{ name: 'S', rows }]);
    expect(blocksOf(read).at(-1)).toEqual(['table', '| Line | Boats |\n| --- | --- |\n| South | 4 |']);
  });

  it('marks hidden sheets as such', async () => {
    const read = await readWorkbook([{ ...sheet(['a', 'b']), state: 'veryHidden' }]);
    expect(blocksOf(read)[0]).toEqual(['heading 1', 'Fares (hidden sheet)']);
  });

  it('ignores stray cells at the far end of the sheet', async () => {
    const rows = `${sheetRow(1, ['near'])}<row r="1048576"><c r="XFC1048576"><v>1</v></c><c r="XFD1048576"><v>2</v></c></row>`;
    const read = await readWorkbook([{ name: 'S', rows }]);
    expect(read.text).toBe('S\n\nnear\n\n|  |  |\n| --- | --- |\n| 1 | 2 |');
  });

  it('writes sparse cells over many columns row by row', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => {
      const column = String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26));
      return `<row r="${index + 1}"><c r="A${index + 1}"><v>${index}</v></c><c r="${column}${index + 1}"><v>7</v></c></row>`;
    }).join('');
    const read = await readWorkbook([{ name: 'S', rows }]);
    expect(read.text.length).toBeLessThan(4_000);
    expect(read.text).toContain('42; 7');
  });

  it('is refused for texts that many cells share', async () => {
    const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(400);
    const bytes = makeZip(workbookParts([{ name: 'S', rows }], { strings: ['word '.repeat(20_000)] }));
    await expect(readFile('a.xlsx', bytes)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('Split it'),
    });
  });

  it('is refused for millions of small cells', () => {
    const budget = createSheetBudget('a.xlsx');
    for (let cells = 0; cells < 5_000_000; cells++) budget.take('');
    expect(() => budget.take('')).toThrow(/5000000 filled cells/);
  });
});

describe('an OpenDocument spreadsheet', () => {
  const read = (body: string, styles?: string) =>
    readFile('a.ods', makeZip(openDocumentParts('spreadsheet', body, styles)));
  const cell = (text: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;

  it('has its tables with displayed values and ISO 8601 dates', async () => {
    const date = 'office:value-type="date" office:date-value="2024-01-31T00:00:00"';
    const result = await read(
      `<table:table table:name="Log"><table:table-row>${cell('Day')}${cell('Sum')}</table:table-row><table:table-row>${cell('31/01/24', date)}${cell('12 %', 'office:value-type="percentage" office:value="0.12"')}</table:table-row></table:table>`,
    );
    expect(blocksOf(result)).toEqual([
      ['heading 1', 'Log'],
      ['table', '| Day | Sum |\n| --- | --- |\n| 2024-01-31 | 12 % |'],
    ]);
  });

  it('expands repeated filled cells, drops repeated empty ones, and omits comments', async () => {
    const result = await read(
      `<table:table table:name="S"><table:table-row>${cell('x', 'table:number-columns-repeated="3"')}<table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row>${cell('end<office:annotation><text:p>note</text:p></office:annotation>')}${cell('2')}</table:table-row></table:table>`,
    );
    expect(result.text).toContain('| x | x | x |');
    expect(result.text).toContain('| end | 2 |');
    expect(result.text).not.toContain('note');
  });

  it('is refused when a filled row repeats to the end of all sheets', async () => {
    const row = `<table:table-row table:number-rows-repeated="1048576">${cell('much text in here', 'table:number-columns-repeated="16384"')}</table:table-row>`;
    await expect(read(`<table:table table:name="S">${row}</table:table>`)).rejects.toMatchObject({ code: 'too_large' });
  });
});
