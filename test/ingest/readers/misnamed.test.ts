import { describe, expect, it } from 'vitest';
import { makeZip } from '../make-docx.ts';
import { blocksOf, readFile, typeOf } from './support.ts';

describe('a file in a format that its name does not tell', () => {
  it('is read as text when a text is named like an old Office file', async () => {
    const read = await readFile('readme.doc', 'Installation\n\nCopy the files, then start the program.\n');
    expect(read.type).toBe('txt');
    expect(read.text).toContain('Copy the files, then start the program.');
  });

  it('is read as HTML when a table is exported under the name of a workbook', async () => {
    const table =
      '<html><body><table><tr><td>Zone</td><td>Fare</td></tr><tr><td>North</td><td>9</td></tr></table></body></html>';
    expect((await readFile('export.xls', table)).type).toBe('html');
    expect(await typeOf('export.xls', 'Zone\tFare\nNorth\t9\nSouth\t12\nWest\t7\nEast\t8\n')).toBe('tsv');
  });

  it.each([
    [
      'a.xlsb',
      [{ name: 'xl/workbook.bin', content: 'x' }],
      'a.xlsb is a binary Excel workbook (xlsb), which cannot be read. Save it as xlsx first.',
    ],
    [
      'a.xps',
      [{ name: 'FixedDocSeq.fdseq', content: 'x' }],
      'a.xps is an XPS document, which cannot be read. Print it to a PDF first.',
    ],
    [
      'a.pages',
      [
        { name: 'buildVersionHistory.plist', content: 'x' },
        { name: 'index.xml', content: '<x/>' },
      ],
      'a.pages is an Apple iWork document, which cannot be read. Export it as PDF or as an Office file first.',
    ],
  ])('is refused with advice, instead of read as an archive of its parts: %s', async (name, parts, message) => {
    await expect(readFile(name, makeZip(parts))).rejects.toMatchObject({ code: 'unsupported_type', message });
  });

  it.each([
    [
      'a.fodt',
      'text',
      '<text:h text:outline-level="1">Fares</text:h><text:p>Nine kroner.</text:p>',
      'odt',
      'Nine kroner.',
    ],
    [
      'a.xml',
      'spreadsheet',
      '<table:table table:name="Fares"><table:table-row><table:table-cell><text:p>North</text:p></table:table-cell><table:table-cell><text:p>9</text:p></table:table-cell></table:table-row></table:table>',
      'ods',
      '| North | 9 |',
    ],
    [
      'a.fodp',
      'presentation',
      '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Fares</text:p></draw:text-box></draw:frame></draw:page>',
      'odp',
      'Fares',
    ],
  ])('is read as OpenDocument from a single XML file: %s', async (name, kind, body, type, text) => {
    const file = `<?xml version="1.0" encoding="UTF-8"?>\n<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:meta><dc:title>Fares of 2024</dc:title></office:meta><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;
    const read = await readFile(name, file);
    expect(read.type).toBe(type);
    expect(read.title).toBe('Fares of 2024');
    expect(blocksOf(read).at(-1)?.[1]).toContain(text);
  });
});
