import { makeCompoundFile } from '../../make-compound.ts';
import { makeZip, wordParagraph, wordParts, type ZipPart } from '../../make-docx.ts';
import { openDocumentParts, presentationParts, shape, sheetRow, workbookParts } from '../../make-office.ts';
import { linesAt, makePdf } from '../../make-pdf.ts';
import { officeSamples } from './samples.ts';
import { describeHostileFiles } from './support.ts';

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
/** Nested entities, ten references each (billion laughs), and one for a local file (XXE). */
const ENTITIES = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">${Array.from({ length: 12 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`).join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]>`;
const EXPANDING = 'begin &a12; &file; end';
const DEPTH = 100_000;
const nested = (tag: string, inner = ''): string => `<${tag}>`.repeat(DEPTH) + inner + `</${tag}>`.repeat(DEPTH);

const replaced = (parts: readonly ZipPart[], name: string, change: (content: string) => string): Uint8Array =>
  makeZip(parts.map((part) => (part.name === name ? { name, content: change(String(part.content)) } : part)));

const word = wordParts(wordParagraph('WORDS'));
const slides = presentationParts([{ shapes: shape('title', 'WORDS') }]);
const workbook = workbookParts([{ name: 'S', rows: sheetRow(1, ['WORDS', 'b']) }]);
const text = openDocumentParts('text', '<text:p>WORDS</text:p>');
const spreadsheet = openDocumentParts(
  'spreadsheet',
  '<table:table><table:table-row><table:table-cell><text:p>WORDS</text:p></table:table-cell></table:table-row></table:table>',
);

const xmlFormats: readonly (readonly [fileName: string, parts: readonly ZipPart[], part: string])[] = [
  ['a.docx', word, 'word/document.xml'],
  ['a.pptx', slides, 'ppt/slides/slide1.xml'],
  ['a.xlsx', workbook, 'xl/worksheets/sheet1.xml'],
  ['a.odt', text, 'content.xml'],
  ['a.ods', spreadsheet, 'content.xml'],
];

describeHostileFiles('Office files that play with XML', [
  ...xmlFormats.map(([fileName, parts, part]) => ({
    title: `an ${fileName.slice(2)} file with entities that grow or name a file gives neither`,
    fileName,
    make: () =>
      replaced(parts, part, (content) => ENTITIES + content.replace(/^<\?xml[^>]*>/, '').replace('WORDS', EXPANDING)),
    outcome: 'either' as const,
    saysNot: /haha|root:/,
    seconds: 5,
  })),
  ...xmlFormats.map(([fileName, parts, part]) => ({
    title: `an ${fileName.slice(2)} file nested 100,000 times is refused at once`,
    fileName,
    make: () => replaced(parts, part, (content) => content.replace('WORDS', nested('w:r', 'deep'))),
    outcome: 'refused' as const,
    says: /is nested more than|nested too deeply/,
    seconds: 10,
  })),
]);

describeHostileFiles('Office archives that are not what they seem', [
  {
    title: 'a part named like a file elsewhere stays in the archive',
    fileName: 'a.docx',
    make: () => makeZip([...word, { name: '../../../../../../tmp/escaped.xml', content: '<x>ESCAPED</x>' }]),
    outcome: 'read',
    says: /^WORDS$/,
  },
  {
    title: 'a target outside of the archive is not read',
    fileName: 'a.xlsx',
    make: () =>
      replaced(workbook, 'xl/_rels/workbook.xml.rels', (content) =>
        content.replace('worksheets/sheet1.xml', '../../../../../../etc/passwd'),
      ),
    outcome: 'refused',
    saysNot: /root:/,
  },
  {
    title: 'a target on the web is not fetched',
    fileName: 'a.pptx',
    make: () =>
      replaced(slides, 'ppt/_rels/presentation.xml.rels', (content) =>
        content.replace('Target="slides/slide1.xml"', 'Target="http://127.0.0.1:1/slide" TargetMode="External"'),
      ),
    outcome: 'refused',
  },
  {
    title: 'an archive within itself is not opened',
    fileName: 'a.docx',
    make: () => makeZip([...word, { name: 'word/embeddings/a.docx', content: makeZip(word) }]),
    outcome: 'read',
    says: /^WORDS$/,
  },
  {
    title: 'an empty archive by the name of a document is refused',
    fileName: 'a.docx',
    make: () => makeZip([]),
    outcome: 'refused',
  },
  {
    title: 'a directory that counts more entries than it has is refused',
    fileName: 'a.xlsx',
    make: () => {
      const bytes = makeZip(workbook);
      new DataView(bytes.buffer).setUint16(bytes.length - 12, 60_000, true);
      return bytes;
    },
    outcome: 'refused',
  },
  {
    title: 'an archive of more parts than any document has is refused',
    fileName: 'a.pptx',
    make: () =>
      makeZip([...slides, ...Array.from({ length: 6_000 }, (_, index) => ({ name: `ppt/${index}.xml`, content: '' }))]),
    outcome: 'refused',
    says: /parts/,
  },
  {
    title: 'slides that all point at one are read within bounds',
    fileName: 'a.pptx',
    make: () =>
      replaced(slides, 'ppt/presentation.xml', (content) =>
        content.replace(/<p:sldId [^>]*>/, (entry) => entry.repeat(6_000)),
      ),
    outcome: 'refused',
    says: /slides/,
  },
  {
    title: 'a workbook by the name of a text is read as a workbook',
    fileName: 'a.txt',
    make: () => makeZip(workbook),
    outcome: 'read',
    says: /WORDS/,
  },
]);

describeHostileFiles('sheets that claim to be vast', [
  {
    title: 'cells at the far end of the sheet cost nothing',
    fileName: 'a.xlsx',
    make: () =>
      makeZip(
        workbookParts([
          { name: 'S', rows: `${sheetRow(1, ['WORDS'])}<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>` },
        ]),
      ),
    outcome: 'read',
    says: /7$/,
  },
  {
    title: 'a diagonal of cells is no table of 16,384 columns',
    fileName: 'a.xlsx',
    make: () => {
      const name = (column: number): string =>
        (column >= 26 ? name(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));
      const rows = Array.from(
        { length: 16_384 },
        (_, index) =>
          `<row r="${index + 1}"><c r="A${index + 1}"><v>1</v></c><c r="${name(index)}${index + 1}"><v>2</v></c></row>`,
      );
      return makeZip(workbookParts([{ name: 'S', rows: rows.join('') }]));
    },
    outcome: 'read',
  },
  {
    title: 'merged cells over the whole sheet fill nothing',
    fileName: 'a.xlsx',
    make: () =>
      makeZip(
        workbookParts([
          { name: 'S', rows: sheetRow(1, ['WORDS', 'b']), after: '<mergeCell ref="A1:XFD1048576"/>'.repeat(1_000) },
        ]),
      ),
    outcome: 'read',
  },
  {
    title: 'rows that repeat a million times are refused',
    fileName: 'a.ods',
    make: () =>
      replaced(spreadsheet, 'content.xml', (content) =>
        content
          .replace('<table:table-row>', '<table:table-row table:number-rows-repeated="1048576">')
          .replace('WORDS', 'WORDS '.repeat(50)),
      ),
    outcome: 'refused',
    says: /Split it/,
  },
  {
    title: 'a number format that is garbage shows the number',
    fileName: 'a.xlsx',
    make: () =>
      makeZip(
        workbookParts([{ name: 'S', rows: '<row><c s="1"><v>5</v></c><c s="2"><v>6</v></c></row>' }], {
          formats: ['[[[;;;;', '0'.repeat(400)],
        }),
      ),
    outcome: 'read',
    says: /5/,
  },
]);

describeHostileFiles('rich text and old Office files', [
  {
    title: 'groups nested 100,000 times are read',
    fileName: 'a.rtf',
    make: () => latin1(`{\\rtf1 WORDS${'{\\b '.repeat(DEPTH)}deep${'}'.repeat(DEPTH)}}`),
    outcome: 'read',
    says: /WORDSdeep/,
  },
  {
    title: 'a picture that claims two gigabytes ends the text and nothing else',
    fileName: 'a.rtf',
    make: () => latin1('{\\rtf1 WORDS\\par{\\pict\\bin2000000000 xx}more}'),
    outcome: 'read',
    says: /WORDS/,
  },
  {
    title: 'groups that only close are read over',
    fileName: 'a.rtf',
    make: () => latin1(`{\\rtf1 WORDS${'}'.repeat(1_000)}more`),
    outcome: 'read',
  },
  {
    title: 'a compound file whose sectors go round in a circle is refused',
    fileName: 'a.xls',
    make: () => {
      const bytes = officeSamples['a.xls']?.() ?? new Uint8Array();
      const view = new DataView(bytes.buffer);
      const table = (view.getUint32(76, true) + 1) * 512;
      for (let at = 0; at < 512; at += 4)
        if (view.getUint32(table + at, true) === 0xfffffffe) view.setUint32(table + at, 0, true);
      return bytes;
    },
    outcome: 'refused',
  },
  {
    title: 'a compound file of zeros is refused',
    fileName: 'a.doc',
    make: () => makeCompoundFile({ WordDocument: new Uint8Array(8_192), '1Table': new Uint8Array(100) }),
    outcome: 'refused',
  },
  {
    title: 'a presentation that names itself as its last save is refused',
    fileName: 'a.ppt',
    make: () => {
      const loop = Buffer.from('0000f50f1c000000'.padEnd(72, '0'), 'hex');
      const user = Buffer.alloc(28);
      return makeCompoundFile({ 'PowerPoint Document': loop, 'Current User': user });
    },
    outcome: 'refused',
  },
]);

describeHostileFiles('PDFs', [
  {
    title: 'one that claims 213 million pages is refused or read for what it has',
    fileName: 'a.pdf',
    make: () => makePdf([linesAt(60, 780, ['WORDS'])], { pageCount: 213_000_000 }),
    outcome: 'either',
    says: /WORDS|213000000|page/,
  },
  {
    title: 'one whose pages contain each other is refused or read',
    fileName: 'a.pdf',
    make: () =>
      latin1(
        Buffer.from(makePdf([linesAt(60, 780, ['WORDS'])]))
          .toString('latin1')
          .replace(/\/Kids \[[^\]]*\]/, '/Kids [2 0 R 2 0 R]'),
      ),
    outcome: 'either',
  },
  {
    title: 'one whose streams lie about their length is read',
    fileName: 'a.pdf',
    make: () =>
      latin1(
        Buffer.from(makePdf([linesAt(60, 780, ['WORDS'])]))
          .toString('latin1')
          .replace(/\/Length \d+/g, '/Length 999999999'),
      ),
    outcome: 'either',
  },
  {
    title: 'one of brackets nested 100,000 times is refused or read',
    fileName: 'a.pdf',
    make: () =>
      latin1(
        Buffer.from(makePdf([linesAt(60, 780, ['WORDS'])]))
          .toString('latin1')
          .replace('/Resources', `/X ${'['.repeat(DEPTH)}${']'.repeat(DEPTH)} /Resources`),
      ),
    outcome: 'either',
  },
  {
    title: 'one with another file hung before it is read',
    fileName: 'a.pdf',
    make: () => new Uint8Array(Buffer.concat([Buffer.from('GARBAGE\n'), makePdf([linesAt(60, 780, ['WORDS'])])])),
    outcome: 'either',
  },
]);
