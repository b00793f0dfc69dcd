import { describe, expect, it } from 'vitest';
import { makeZip, wordParagraph, wordParts } from '../../make-docx.ts';
import { openDocumentParts, presentationParts, relations, shape, sheetRow, workbookParts } from '../../make-office.ts';
import { blocksOf, readFile } from '../support.ts';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

describe('a comment of a reviewer', () => {
  it('stands below its paragraph in a Word document, with its author', async () => {
    const body = `<w:p><w:r><w:t>The fare is nine kroner.</w:t></w:r><w:r><w:commentReference w:id="3"/></w:r></w:p>${wordParagraph('Children travel free.')}`;
    const read = await readFile(
      'a.docx',
      makeZip([
        ...wordParts(body),
        {
          name: 'word/_rels/document.xml.rels',
          content: relations([{ type: 'comments', target: 'comments.xml' }]),
        },
        {
          name: 'word/comments.xml',
          content: `<w:comments ${W}><w:comment w:id="3" w:author="Marta Lind" w:initials="ML"><w:p><w:r><w:t>Ten from May.</w:t></w:r></w:p></w:comment></w:comments>`,
        },
      ]),
    );
    expect(blocksOf(read)).toEqual([
      ['paragraph', 'The fare is nine kroner.'],
      ['paragraph', '[Comment by Marta Lind: Ten from May.]'],
      ['paragraph', 'Children travel free.'],
    ]);
  });

  it('follows its sheet in a workbook, without the note that repeats it for old versions', async () => {
    const read = await readFile(
      'a.xlsx',
      makeZip([
        ...workbookParts([{ name: 'Fares', rows: sheetRow(1, ['Zone', 'Fare']) + sheetRow(2, ['North', 9]) }]),
        {
          name: 'xl/worksheets/_rels/sheet1.xml.rels',
          content: relations([
            { type: 'comments', target: '../comments1.xml' },
            { type: 'threadedComment', target: '../threadedComments/threadedComment1.xml' },
          ]),
        },
        {
          name: 'xl/comments1.xml',
          content:
            '<comments><authors><author>tc=1</author><author>Marta Lind</author></authors><commentList><comment ref="B2" authorId="0"><text><t>[Threaded comment] Update Excel.</t></text></comment><comment ref="A2" authorId="1"><text><r><t>Marta Lind:</t></r><r><t>\nAlso the island.</t></r></text></comment></commentList></comments>',
        },
        {
          name: 'xl/threadedComments/threadedComment1.xml',
          content:
            '<ThreadedComments><threadedComment ref="B2" personId="p1"><text>Ten from May.</text></threadedComment></ThreadedComments>',
        },
        { name: 'xl/persons/person.xml', content: '<personList><person displayName="Ola Berg" id="p1"/></personList>' },
      ]),
    );
    expect(blocksOf(read).at(-1)).toEqual([
      'list',
      '[Comment on B2 by Ola Berg: Ten from May.]\n[Comment on A2 by Marta Lind: Also the island.]',
    ]);
  });

  it.each([
    ['before 2021', '<p:cmLst><p:cm authorId="0"><p:text>Shorten this.</p:text></p:cm></p:cmLst>'],
    [
      'since 2021, with its answers',
      '<x:cmLst><x:cm authorId="0"><x:replyLst><x:reply authorId="0"><x:txBody><a:p><a:r><a:t>Done.</a:t></a:r></a:p></x:txBody></x:reply></x:replyLst><x:txBody><a:p><a:r><a:t>Shorten this.</a:t></a:r></a:p></x:txBody></x:cm></x:cmLst>',
    ],
  ])('follows its slide in a presentation as saved %s', async (_, comments) => {
    const read = await readFile(
      'a.pptx',
      makeZip([
        ...presentationParts([{ shapes: shape('title', 'Fares') }]),
        {
          name: 'ppt/slides/_rels/slide1.xml.rels',
          content: relations([{ type: 'comments', target: '../comments/comment1.xml' }]),
        },
        { name: 'ppt/comments/comment1.xml', content: comments },
        {
          name: 'ppt/commentAuthors.xml',
          content: '<p:cmAuthorLst><p:cmAuthor id="0" name="Ola Berg"/></p:cmAuthorLst>',
        },
      ]),
    );
    const texts = blocksOf(read).map(([, text]) => text);
    expect(texts.slice(0, 2)).toEqual(['Fares', '[Comment by Ola Berg: Shorten this.]']);
    expect(texts.slice(2)).toEqual(comments.includes('reply') ? ['[Comment by Ola Berg: Done.]'] : []);
  });

  it('stands below its paragraph in an OpenDocument text', async () => {
    const body =
      '<text:p>The fare is nine kroner.<office:annotation><dc:creator>Ola Berg</dc:creator><dc:date>2024-05-01</dc:date><text:p>Ten from May.</text:p></office:annotation></text:p>';
    expect(blocksOf(await readFile('a.odt', makeZip(openDocumentParts('text', body))))).toEqual([
      ['paragraph', 'The fare is nine kroner.'],
      ['paragraph', '[Comment by Ola Berg: Ten from May.]'],
    ]);
  });
});

describe('the page header of a Word document', () => {
  it('keeps its parts apart that tabs separate', async () => {
    const header = `<w:hdr ${W}><w:p><w:r><w:t>Edition 2</w:t><w:tab/><w:t>Published in May</w:t></w:r></w:p></w:hdr>`;
    const read = await readFile(
      'a.docx',
      makeZip([...wordParts(wordParagraph('Text.')), { name: 'word/header1.xml', content: header }]),
    );
    expect(read.text).toBe('Edition 2 Published in May\n\nText.');
  });
});
