import { ServiceError } from '../../../errors.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import type { Reader } from '../reader.ts';
import type { RtfParagraph } from './rtf-content.ts';
import { readRtf } from './rtf-paragraphs.ts';

/** Rich text: headings, lists, tables and notes. */
export const rtfReader: Reader = {
  async read({ bytes, fileName, signal }) {
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    if (!source.startsWith('{\\rtf')) throw new ServiceError('invalid_request', `${fileName} is not rich text.`);
    const { paragraphs, notes, info } = readRtf(source, signal);
    const builder = createTextBuilder();
    addParagraphs(builder, paragraphs);
    builder.add('list', notes.map((note, index) => `${index + 1}. ${note}`).join('\n'));
    const { title, ...metadata } = info;
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};

function addParagraphs(builder: TextBuilder, paragraphs: readonly RtfParagraph[]): void {
  let rows: string[][] = [];
  let items: string[] = [];
  const flush = () => {
    const [header = [], ...body] = rows;
    const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
    if (width === 1) builder.add('paragraph', rows.map(([cell]) => cell).join('\n'));
    else if (rows.length > 0)
      builder.add('table', markdownTable([...header, ...Array<string>(width - header.length).fill('')], body));
    builder.add('list', items.join('\n'));
    rows = [];
    items = [];
  };
  for (const paragraph of paragraphs) {
    if (paragraph.kind !== 'row' || items.length > 0) {
      if (paragraph.kind !== 'item' || rows.length > 0) flush();
    }
    if (paragraph.kind === 'row') rows.push(paragraph.cells.map((cell) => cleanLine(cell)));
    else if (paragraph.kind === 'item')
      items.push(`${'  '.repeat(paragraph.depth)}${paragraph.mark} ${cleanText(paragraph.text).trim()}`);
    else if (paragraph.kind === 'heading')
      builder.add('heading', cleanText(paragraph.text).replace(/\s+/g, ' '), { level: paragraph.level });
    else builder.add('paragraph', cleanText(paragraph.text));
  }
  flush();
}
