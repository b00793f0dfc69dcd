import { createTextBuilder } from '../build-text.ts';
import { readProperties } from '../office/office-properties.ts';
import { addSheet } from '../office/sheet-text.ts';
import type { Reader } from '../reader.ts';
import { readOdsSheets } from './ods-sheets.ts';
import { openDocumentPackage } from './open-document-package.ts';

/** OpenDocument spreadsheets: each sheet as tables, numbers as shown, dates as `2024-01-31`. */
export const odsReader: Reader = {
  async read({ bytes, fileName, signal }) {
    const file = openDocumentPackage({ bytes, fileName, what: 'an OpenDocument spreadsheet' });
    const sheets = await readOdsSheets({ file, fileName, signal });
    const builder = createTextBuilder();
    for (const sheet of sheets) addSheet(builder, sheet);
    const { title, ...properties } = readProperties(file, 'meta.xml', fileName);
    const names = sheets.map(({ name }) => name);
    return {
      ...builder.finish(),
      ...(title === undefined ? {} : { title }),
      metadata: { ...properties, sheets: names },
    };
  },
};
