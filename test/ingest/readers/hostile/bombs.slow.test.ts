import { deflateSync, gzipSync } from 'node:zlib';
import { makeZip, wordParagraph, wordParts, type ZipPart } from '../../make-docx.ts';
import { makeMail } from '../../make-mail.ts';
import { openDocumentParts, presentationParts, shape, sheetRow, workbookParts } from '../../make-office.ts';
import { linesAt, makePdf } from '../../make-pdf.ts';
import { describeHostileFiles, type HostileFile } from './support.ts';

const LARGE = 300_000_000;
const spaces = (): Buffer => Buffer.alloc(LARGE, ' ');

const word = wordParts(wordParagraph('WORDS'));
const slides = presentationParts([{ shapes: shape('title', 'WORDS') }]);
const workbook = workbookParts([{ name: 'S', rows: sheetRow(1, ['WORDS', 'b']) }]);
const text = openDocumentParts('text', '<text:p>WORDS</text:p>');
const spreadsheet = openDocumentParts('spreadsheet', '<table:table/>');

const bookParts: readonly ZipPart[] = [
  { name: 'META-INF/container.xml', content: '<container><rootfile full-path="a.opf"/></container>' },
  {
    name: 'a.opf',
    content:
      '<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
  },
  { name: 'c.xhtml', content: '<p>WORDS</p>' },
];

const bomb = (
  fileName: string,
  parts: readonly ZipPart[],
  part: string,
  outcome: HostileFile['outcome'] = 'refused',
): HostileFile => ({
  title: `300 MB inside of 290 KB, in ${part} of ${fileName}`,
  fileName,
  make: () => makeZip(parts.map((one) => (one.name === part ? { name: part, content: spaces() } : one))),
  outcome,
});

describeHostileFiles('files that unpack to more than there is room for', [
  bomb('a.docx', word, 'word/document.xml'),
  bomb('a.pptx', slides, 'ppt/slides/slide1.xml'),
  // In a streamed part, white space between the texts takes no memory.
  bomb('a.xlsx', workbook, 'xl/sharedStrings.xml', 'read'),
  bomb('a.xlsx', workbook, 'xl/worksheets/sheet1.xml'),
  bomb('a.odt', text, 'content.xml'),
  bomb('a.ods', spreadsheet, 'content.xml'),
  bomb('a.zip', [{ name: 'a.txt', content: 'WORDS' }], 'a.txt'),
  bomb('a.epub', bookParts, 'c.xhtml'),
  {
    title: '300 MB inside of 290 KB, packed with gzip',
    fileName: 'a.txt.gz',
    make: () => new Uint8Array(gzipSync(spaces())),
    outcome: 'refused',
  },
  {
    title: '300 MB inside of 290 KB, in an archive attached to a mail',
    fileName: 'a.eml',
    make: () => {
      const archive = makeZip([{ name: 'a.txt', content: spaces() }]);
      return new TextEncoder().encode(makeMail('x', [{ type: 'application/zip', name: 'a.zip', content: archive }]));
    },
    outcome: 'refused',
  },
  {
    title: 'a PDF with 300 MB in a page of it',
    fileName: 'a.pdf',
    make: () => {
      const packed = deflateSync(spaces()).toString('latin1');
      const file = Buffer.from(makePdf([linesAt(60, 780, ['WORDS'])])).toString('latin1');
      const stream = `<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`;
      return new Uint8Array(
        Buffer.from(
          file.replace(/<< \/Length \d+ >>\nstream[\s\S]*?endstream/, () => stream),
          'latin1',
        ),
      );
    },
    outcome: 'either',
    seconds: 60,
  },
  {
    title: 'a Word document of a million paragraphs',
    fileName: 'a.docx',
    make: () => makeZip(wordParts(wordParagraph('words').repeat(900_000))),
    outcome: 'refused',
    says: /more memory/,
    seconds: 60,
  },
  {
    title: 'a workbook of three million rows',
    fileName: 'a.xlsx',
    make: () => {
      const rows = '<row><c><v>7</v></c></row>'.repeat(1_000_000);
      return makeZip(workbookParts(['A', 'B', 'C'].map((name) => ({ name, rows }))));
    },
    outcome: 'read',
    seconds: 60,
  },
  {
    title: 'a workbook of a million rows and four columns',
    fileName: 'a.xlsx',
    make: () => {
      const rows = Array.from({ length: 1_000_000 }, (_, index) =>
        sheetRow(index + 1, [index, 'words in a cell', index * 2, 'more']),
      ).join('');
      return makeZip(workbookParts([{ name: 'A', rows }]));
    },
    outcome: 'either',
    seconds: 60,
  },
]);
