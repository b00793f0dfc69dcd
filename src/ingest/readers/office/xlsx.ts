import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import { openZipPackage, type ZipPackage } from '../containers/zip-package.ts';
import type { Reader } from '../reader.ts';
import { attributeOf, elementsBelow, parseXml } from '../xml/xml.ts';
import { readProperties } from './office-properties.ts';
import { mainPart, relationsOf } from './package-relations.ts';
import { sheetComments } from './sheet-comments.ts';
import { addDrawings } from './sheet-drawings.ts';
import { createSheetBudget } from './sheet-rows.ts';
import { addSheet } from './sheet-text.ts';
import { readSharedStrings, readStyles } from './xlsx-parts.ts';
import { readSheetPart } from './xlsx-sheet.ts';

const MAX_SHEETS = 1_000;

/**
 * Excel workbooks: each sheet as tables, numbers and dates as shown, formulas by their cached value, text
 * boxes, comments.
 */
export const xlsxReader: Reader = {
  async read({ bytes, fileName, signal }) {
    const file = openZipPackage({ bytes, fileName, what: 'an Excel workbook' });
    const workbook = readWorkbook(file, fileName);
    const input = { file, fileName, signal };
    const strings = await readSharedStrings(input, workbook.strings);
    const styles = readStyles(file, workbook.styles, fileName);
    const budget = createSheetBudget(fileName);
    const builder = createTextBuilder();
    for (const { name, isHidden, part } of workbook.sheets) {
      const { rows, merged } = await readSheetPart(input, part, {
        ...styles,
        isFrom1904: workbook.isFrom1904,
        strings,
        budget,
      });
      addSheet(builder, { name, isHidden, rows, merged });
      addDrawings(builder, { file, sheet: part, fileName });
      builder.add('list', sheetComments(file, part, fileName).join('\n'));
    }
    const { title, ...properties } = readProperties(file, 'docProps/core.xml', fileName);
    const sheets = workbook.sheets.map(({ name }) => name);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata: { ...properties, sheets } };
  },
};

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean; readonly part: string }[];
  readonly isFrom1904: boolean;
  readonly strings: string;
  readonly styles: string;
}

function readWorkbook(file: ZipPackage, fileName: string): Workbook {
  const part = mainPart(file, fileName) ?? 'xl/workbook.xml';
  const text = file.text(part);
  if (text === undefined) throw new ServiceError('invalid_request', `${fileName} is damaged: it has no workbook part.`);
  const root = parseXml(text, fileName);
  const relations = relationsOf(file, part, fileName);
  const targetOf = (type: string) => relations.find((relation) => relation.type === type)?.target ?? '';
  const sheets = [...elementsBelow(root, 'sheet')].flatMap(({ attribs }, index) => {
    // The relationship id, not the sheet's own id, which has no prefix.
    const id = Object.entries(attribs).find(([key]) => /:id$/i.test(key))?.[1];
    const relation = relations.find((one) => one.id === id);
    if (relation !== undefined && relation.type !== 'worksheet') return [];
    const name = attributeOf(attribs, 'name') ?? `Sheet ${index + 1}`;
    const isHidden = /hidden/i.test(attributeOf(attribs, 'state') ?? '');
    return [{ name, isHidden, part: relation?.target ?? `xl/worksheets/sheet${index + 1}.xml` }];
  });
  if (sheets.length > MAX_SHEETS)
    throw new ServiceError('too_large', `${fileName} has ${sheets.length} sheets; at most ${MAX_SHEETS} are read.`);
  const from1904 = [...elementsBelow(root, 'workbookPr')].map(({ attribs }) => attributeOf(attribs, 'date1904'));
  const isFrom1904 = from1904.some((value) => value === '1' || value === 'true');
  return { sheets, isFrom1904, strings: targetOf('sharedStrings'), styles: targetOf('styles') };
}
