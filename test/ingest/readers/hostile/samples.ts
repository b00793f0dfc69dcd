import { makeZip, wordParagraph, wordParts } from '../../make-docx.ts';
import { legacyCells, makeDoc, makePpt, makeXls } from '../../make-legacy-office.ts';
import { openDocumentParts, presentationParts, shape, sheetRow, workbookParts } from '../../make-office.ts';
import { linesAt, makePdf } from '../../make-pdf.ts';

const WORDS = 'The ferry leaves the harbour at nine in the morning.';
const paragraph = `<text:p>${WORDS}</text:p>`;
const cell = `<table:table-cell>${paragraph}</table:table-cell>`;

/** A small valid file of each Office-like format, by its name. */
export const officeSamples: Readonly<Record<string, () => Uint8Array>> = {
  'a.pdf': () => makePdf([linesAt(60, 780, Array<string>(30).fill(WORDS)), linesAt(60, 780, [WORDS])]),
  'a.docx': () => makeZip(wordParts(Array<string>(20).fill(wordParagraph(WORDS)).join(''))),
  'a.pptx': () =>
    makeZip(presentationParts([{ shapes: shape('title', 'Ferries') + shape('body', WORDS, WORDS), notes: WORDS }])),
  'a.xlsx': () =>
    makeZip(
      workbookParts([
        { name: 'Log', rows: Array.from({ length: 50 }, (_, index) => sheetRow(index + 1, [WORDS, index])).join('') },
      ]),
    ),
  'a.odt': () => makeZip(openDocumentParts('text', paragraph.repeat(20))),
  'a.odp': () =>
    makeZip(
      openDocumentParts(
        'presentation',
        `<draw:page><draw:frame><draw:text-box>${paragraph}</draw:text-box></draw:frame></draw:page>`,
      ),
    ),
  'a.ods': () =>
    makeZip(
      openDocumentParts(
        'spreadsheet',
        `<table:table table:name="Log">${`<table:table-row>${cell}${cell}</table:table-row>`.repeat(20)}</table:table>`,
      ),
    ),
  'a.rtf': () =>
    new TextEncoder().encode(`{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}${`\\pard ${WORDS}\\par `.repeat(20)}}`),
  'a.doc': () => makeDoc(Array.from({ length: 20 }, () => ({ text: WORDS }))),
  'a.xls': () =>
    makeXls(
      [{ name: 'Log', records: Array.from({ length: 200 }, (_, index) => legacyCells.shared(index, 0, index % 2)) }],
      {
        strings: [WORDS, 'Boats'],
      },
    ),
  'a.ppt': () => makePpt(Array.from({ length: 9 }, () => ({ title: 'Ferries', box: WORDS, notes: WORDS }))),
};
