import { expect, it } from 'vitest';
import { makeZip } from '../../make-docx.ts';
import { relations, sheetRow, workbookParts } from '../../make-office.ts';
import { blocksOf, readFile } from '../support.ts';

it('reads the text boxes on a sheet and the titles of its charts', async () => {
  const run = (text: string) => `<a:r><a:t>${text}</a:t></a:r>`;
  const box = `<xdr:sp><xdr:txBody><a:p>${run('Fares from ')}${run('May.')}</a:p><a:p>${run('Ask Inga.')}</a:p></xdr:txBody></xdr:sp>`;
  const chart =
    '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame>';
  const read = await readFile(
    'a.xlsx',
    makeZip([
      ...workbookParts([{ name: 'Fares', rows: sheetRow(1, ['Zone', 'Fare']) + sheetRow(2, ['North', 9]) }]),
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        content: relations([{ type: 'drawing', target: '../drawings/drawing1.xml' }]),
      },
      // Older versions read the same box from the fallback.
      { name: 'xl/drawings/drawing1.xml', content: `<xdr:wsDr>${box}${box}${chart}</xdr:wsDr>` },
      {
        name: 'xl/drawings/_rels/drawing1.xml.rels',
        content: relations([{ type: 'chart', target: '../charts/chart1.xml' }]),
      },
      {
        name: 'xl/charts/chart1.xml',
        content: `<c:chartSpace><c:title><c:tx><c:rich><a:p>${run('Fares by zone')}</a:p></c:rich></c:tx></c:title></c:chartSpace>`,
      },
    ]),
  );
  expect(blocksOf(read).slice(2)).toEqual([
    ['paragraph', 'Fares from May.\nAsk Inga.'],
    ['paragraph', 'Fares by zone'],
  ]);
});
