import { describe, expect, it } from 'vitest';
import { makeZip } from '../make-docx.ts';
import { openDocumentParts } from '../make-office.ts';
import { blocksOf, readFile } from './support.ts';

describe('an OpenDocument text', () => {
  const read = (body: string, styles?: string) => readFile('a.odt', makeZip(openDocumentParts('text', body, styles)));

  it('has headings, lists, tables and text boxes', async () => {
    const item = (text: string, inner = '') => `<text:list-item><text:p>${text}</text:p>${inner}</text:list-item>`;
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const result = await read(
      `<text:p text:style-name="P1">Terms</text:p><text:h text:outline-level="2">Fares</text:h><text:p>Ten<text:s text:c="2"/>kroner<text:line-break/>each.<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p><text:list>${item('one', `<text:list>${item('inner')}</text:list>`)}</text:list><table:table><table:table-header-rows><table:table-row>${cell('What')}${cell('Price')}</table:table-row></table:table-header-rows><table:table-row>${cell('Dog')}${cell('0')}</table:table-row></table:table>`,
      '<style:style style:name="P1" style:parent-style-name="Title"/>',
    );
    expect(blocksOf(result)).toEqual([
      ['heading 1', 'Terms'],
      ['heading 2', 'Fares'],
      ['paragraph', 'Ten  kroner\neach.'],
      ['paragraph', 'In a box'],
      ['list', '- one\n  - inner'],
      ['table', '| What | Price |\n| --- | --- |\n| Dog | 0 |'],
    ]);
    expect(result.title).toBe('Terms');
  });

  it('has its notes at the end, comments marked as such, and no deleted text', async () => {
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>It did hurt.</text:p></text:note-body></text:note>';
    const result = await read(
      `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>Ouch${note}.<office:annotation><text:p>really?</text:p></office:annotation></text:p>`,
    );
    expect(blocksOf(result)).toEqual([
      ['paragraph', 'Ouch.'],
      ['paragraph', '[Comment: really?]'],
      ['list', '1. It did hurt.'],
    ]);
  });

  it('is refused with the reason when it is encrypted', async () => {
    const parts = [
      ...openDocumentParts('text', ''),
      { name: 'META-INF/manifest.xml', content: '<manifest:manifest><manifest:encryption-data/></manifest:manifest>' },
    ];
    await expect(readFile('a.odt', makeZip(parts))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('needs a password'),
    });
  });
});

describe('rich text', () => {
  const head = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset2 Symbol;}}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}`;

  it('has headings by style and by outline level, and its own title', async () => {
    const read = await readFile(
      'a.rtf',
      `${head}{\\info{\\title The terms}{\\author Ann}}\\pard\\s1 Terms\\par\\pard\\outlinelevel1 Fares\\par\\pard Ten kroner.\\par}`,
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Terms'],
      ['heading 2', 'Fares'],
      ['paragraph', 'Ten kroner.'],
    ]);
    expect(read).toMatchObject({ title: 'The terms', metadata: { author: 'Ann' } });
  });

  it('decodes characters by the code page of their font, and Unicode escapes', async () => {
    const read = await readFile(
      'a.rtf',
      String.raw`${head}\pard caf\'e9 {\f1 \'cf\'f0\'e8\'e2\'e5\'f2} \u8364?\emdash\uc2\u9731??\ldblquote q\rdblquote\par}`,
    );
    expect(read.text).toBe('café Привет €—☃“q”');
  });

  it('is read with tables, lists and notes, without field codes and hidden text', async () => {
    const read = await readFile(
      'a.rtf',
      String.raw`${head}\trowd\pard\intbl What\cell Price\cell\row\trowd\intbl Dog\cell 0\cell\row\pard{\listtext\f2\'b7\tab}one\par{\listtext 2.\tab}two\par\pard See {\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt the site}}{\v hidden}.{\footnote{\chftn} It did hurt.}{\*\unknown lost}{\pict 0102}\par}`,
    );
    expect(blocksOf(read)).toEqual([
      ['table', '| What | Price |\n| --- | --- |\n| Dog | 0 |'],
      ['list', '- one\n2. two'],
      ['paragraph', 'See the site.'],
      ['list', '1. It did hurt.'],
    ]);
  });

  it('is read in part when it is truncated', async () => {
    expect((await readFile('a.rtf', `${head}\\pard Ten kroner.\\par Elev`)).text).toBe('Ten kroner.\n\nElev');
  });
});
