import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import { openCompoundFile } from '../containers/compound-file.ts';
import { createSheetBudget } from '../office/sheet-rows.ts';
import { addSheet } from '../office/sheet-text.ts';
import type { Reader } from '../reader.ts';
import { readSummaryStream } from './summary-stream.ts';
import { readXlsSheet } from './xls-sheet.ts';
import { readXlsWorkbook } from './xls-workbook.ts';

/** Excel workbooks of the versions 5 to 2003. */
export const xlsReader: Reader = {
  async read({ bytes, fileName, signal }) {
    const file = openCompoundFile(bytes, fileName);
    const stream = file.stream('Workbook') ?? file.stream('Book');
    if (stream === undefined) throw new ServiceError('invalid_request', `${fileName} is damaged: it has no workbook.`);
    const workbook = readXlsWorkbook(stream, fileName);
    const budget = createSheetBudget(fileName);
    const builder = createTextBuilder();
    for (const sheet of workbook.sheets) {
      signal.throwIfAborted();
      const { rows, merged } = readXlsSheet(stream, sheet.offset, { workbook, budget });
      addSheet(builder, { name: sheet.name, isHidden: sheet.isHidden, rows, merged });
    }
    const { title, ...properties } = readSummaryStream(file);
    const sheets = workbook.sheets.map(({ name }) => name);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata: { ...properties, sheets } };
  },
};
