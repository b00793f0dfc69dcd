import { describe, expect, it } from 'vitest';
import { makeZip, wordParagraph, wordParts } from '../../make-docx.ts';
import { blocksOf, readFile } from '../support.ts';

const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;

describe('a Word document', () => {
  it('has headings, paragraphs and tables', async () => {
    const body = `${wordParagraph('Terms', 'Heading1')}${wordParagraph('These hold.')}<w:tbl>${row('What', 'Price')}${row('Dog', '0')}</w:tbl>`;
    const read = await readFile('a.docx', makeZip(wordParts(body)));
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Terms'],
      ['paragraph', 'These hold.'],
      ['table', '| What | Price |\n| --- | --- |\n| Dog | 0 |'],
    ]);
    expect(read.title).toBe('Terms');
  });

  it('has its footnotes at the end, without marks in the text', async () => {
    const note = '<w:r><w:footnoteReference w:id="2"/></w:r>';
    const parts = wordParts(`<w:p><w:r><w:t>Ouch</w:t></w:r>${note}<w:r><w:t>.</w:t></w:r></w:p>`);
    const footnotes = `<?xml version="1.0"?><w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="2">${wordParagraph('It did hurt.')}</w:footnote></w:footnotes>`;
    const relationships =
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/></Relationships>';
    const read = await readFile(
      'a.docx',
      makeZip([
        ...parts,
        { name: 'word/footnotes.xml', content: footnotes },
        { name: 'word/_rels/document.xml.rels', content: relationships },
      ]),
    );
    expect(blocksOf(read)).toEqual([
      ['paragraph', 'Ouch.'],
      ['list', '1. It did hurt.'],
    ]);
  });

  it('includes running headers and footers once, without page numbers', async () => {
    const part = (tag: string, ...lines: readonly string[]) =>
      `<?xml version="1.0"?><w:${tag} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${lines.map((line) => wordParagraph(line)).join('')}</w:${tag}>`;
    const read = await readFile(
      'a.docx',
      makeZip([
        ...wordParts(wordParagraph('Text')),
        { name: 'word/header1.xml', content: part('hdr', 'Skerry Line, draft 3') },
        { name: 'word/header2.xml', content: part('hdr', 'Skerry Line, draft 3') },
        { name: 'word/footer1.xml', content: part('ftr', 'Confidential', 'Page 2 of 9', '2') },
      ]),
    );
    expect(read.text).toBe('Skerry Line, draft 3\n\nText\n\nConfidential');
  });

  it('gives title and author from its properties', async () => {
    const core =
      '<?xml version="1.0"?><cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>Booking</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>';
    const read = await readFile(
      'a.docx',
      makeZip([...wordParts(wordParagraph('Text')), { name: 'docProps/core.xml', content: core }]),
    );
    expect(read.title).toBe('Booking');
    expect(read.metadata).toEqual({ author: 'Ann' });
  });

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.slice(0, bytes.length - 40)],
    ['of broken XML', () => makeZip(wordParts('<w:p><w:r>'))],
    ['of an empty archive', () => makeZip([])],
  ])('%s is refused with a reason', async (_, damage) => {
    await expect(readFile('a.docx', damage(makeZip(wordParts(wordParagraph('Text')))))).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_request|unsupported_type/),
      message: expect.stringContaining('a.docx'),
    });
  });
});
