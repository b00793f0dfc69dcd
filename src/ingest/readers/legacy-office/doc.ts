import { ServiceError } from '../../../errors.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { openCompoundFile } from '../containers/compound-file.ts';
import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import type { Reader } from '../reader.ts';
import { type DocParagraph, readDocParagraphs } from './doc-paragraphs.ts';
import { readDocPieces } from './doc-pieces.ts';
import { readSummaryStream } from './summary-stream.ts';

/** Word documents from before 2007: headings, tables, notes and text boxes. */
export const docReader: Reader = {
  async read({ bytes, fileName }) {
    const file = openCompoundFile(bytes, fileName);
    const main = file.stream('WordDocument');
    if (main === undefined || main.length < 0x200 || main.readUInt16LE(0) !== 0xa5ec)
      throw new ServiceError('invalid_request', `${fileName} is damaged: it has no readable document stream.`);
    const flags = main.readUInt16LE(0x0a);
    if ((flags & 0x0100) !== 0) {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is encrypted and needs a password. Save it without one first.`,
      );
    }
    const table = file.stream((flags & 0x0200) === 0 ? '0Table' : '1Table');
    if (table === undefined)
      throw new ServiceError('invalid_request', `${fileName} is damaged: a part of it is missing.`);
    const pieces = readDocPieces(main, table, fileName);
    const builder = createTextBuilder();
    addParagraphs(builder, readDocParagraphs(main, table, pieces));
    const { title, ...metadata } = readSummaryStream(file);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};

/** Joins the cells of rows into tables. */
function addParagraphs(builder: TextBuilder, paragraphs: readonly DocParagraph[]): void {
  let rows: string[][] = [];
  let cells: string[] = [];
  const closeTable = () => {
    if (cells.length > 0) rows.push(cells);
    const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
    const [header = [], ...body] = rows;
    if (width === 1) builder.add('paragraph', rows.map(([cell]) => cell).join('\n'));
    else if (width > 1)
      builder.add('table', markdownTable([...header, ...Array<string>(width - header.length).fill('')], body));
    rows = [];
    cells = [];
  };
  let cell = '';
  for (const { text, end, level, isInTable } of paragraphs) {
    if (end === 'row') {
      if (cells.some((one) => one !== '')) rows.push(cells);
      cells = [];
      cell = '';
    } else if (end === 'cell') {
      cells.push(cleanLine(`${cell} ${text}`));
      cell = '';
    } else if (isInTable) cell += ` ${text}`;
    else {
      closeTable();
      const shown = cleanText(text).trim();
      if (level === undefined) builder.add('paragraph', shown);
      else builder.add('heading', cleanLine(shown), { level });
    }
  }
  closeTable();
}
