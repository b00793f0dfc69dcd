import { describe, expect, it } from 'vitest';
import { makeZip, wordParagraph, wordParts } from '../make-docx.ts';
import { makePdf } from '../make-pdf.ts';
import { recordings } from '../make-recordings.ts';
import { noise, typeOf } from './support.ts';

const html = '<!doctype html><html><body><p>Hello there</p></body></html>';
const word = makeZip(wordParts(wordParagraph('Hello')));
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const table = 'name;age;town\nAnn;3;Rome\nBob;4;Oslo\nCid;5;Bonn\nDan;6;Lyon\n';

describe('the type of a file', () => {
  it.each([
    ['a PDF named .txt', 'a.txt', makePdf([[{ text: 'Hi', x: 50, y: 700 }]]), 'pdf'],
    ['a Word file without an extension', 'letter', word, 'docx'],
    ['a web page named .txt', 'page.txt', html, 'html'],
    ['a web page named .csv, as error pages are', 'data.csv', html, 'html'],
    ['JSON without an extension', 'data', '{"a": [1, 2]}', 'json'],
    ['JSON Lines without an extension', 'data', '{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}', 'jsonl'],
    ['a table without an extension', 'data', table, 'csv'],
    ['a tab-separated table named .txt', 'data.txt', table.replaceAll(';', '\t'), 'tsv'],
    ['Markdown without an extension', 'README', '# Title\n\nSome *text*.', 'md'],
    ['Markdown named .txt, which looks like any text', 'notes.txt', '# Title\n\nSome *text*.', 'txt'],
    ['a script without an extension', 'run', '#!/usr/bin/env python3\nprint(1)\n', 'py'],
    ['source code', 'main.rs', 'fn main() {}', 'rs'],
    [
      'prose with commas',
      'letter',
      'Dear Ann, dear Bob,\nthanks for all, we liked it,\nsee you soon, yours,\nCid, Dan',
      'txt',
    ],
    ['JSON by name that is none', 'invalid.json', '{"a": ', 'json'],
    ['text that begins like a bitmap', 'bm.txt', 'BM is the abbreviation of benchmark in this text.', 'txt'],
    ['rich text named .txt', 'a.txt', '{\\rtf1\\ansi Hello}', 'rtf'],
    ['an empty file', 'empty.md', '', 'md'],
    ['a picture named .txt', 'a.txt', Buffer.from(PIXEL, 'base64'), 'png'],
    [
      'an e-book packed with its folder',
      'a.epub',
      makeZip([
        { name: 'book/mimetype', content: 'application/epub+zip' },
        { name: 'book/META-INF/container.xml', content: '<container/>' },
        { name: 'book/content.opf', content: '<package/>' },
      ]),
      'epub',
    ],
    ['an archive', 'a.bin', makeZip([{ name: 'a.txt', content: 'text' }]), 'zip'],
    ['a mail without an extension', 'mail', 'From: a@b.c\nTo: d@e.f\nSubject: x\nDate: Mon, 1 Jan 2024\n\nText', 'eml'],
    ['a letter that quotes a mail, named .txt', 'a.txt', 'From: a\nSubject: x\nDate: y\n\nText', 'txt'],
    ['a drawing named .xml', 'a.xml', '<?xml version="1.0"?><svg><text>Hi</text></svg>', 'svg'],
    ['a calendar without an extension', 'cal', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', 'ics'],
    ['reStructuredText', 'a.rst', 'Title\n=====\n\nText', 'rst'],
  ])('is detected for %s', async (_, name, content, type) => {
    expect(await typeOf(name, content)).toBe(type);
  });

  it('is taken from the media type when content and name are inconclusive', async () => {
    expect(await typeOf('blob', 'Some text', 'text/markdown; charset=utf-8')).toBe('md');
  });

  it.each([
    ['binary garbage named .txt', 'a.txt', noise(5_000)],
    ['a program', 'a.exe', Buffer.concat([Buffer.from('MZ'), noise(500)])],
    ['a few bytes that letters of UTF-16 could have', 'four.bin', Uint8Array.from([0, 1, 2, 0xff])],
  ])('is refused for %s, with the list of supported types', async (_, name, content) => {
    await expect(typeOf(name, content as Uint8Array)).rejects.toMatchObject({
      code: 'unsupported_type',
      message: expect.stringMatching(
        /Supported types: txt, md, html, pdf.*, source code and any other text in UTF-8, pictures/,
      ),
    });
  });

  it.each(Object.entries(recordings))('is that of a recording of type %s', async (type, bytes) => {
    expect(await typeOf(`a.${type}`, bytes)).toBe(type);
  });

  it.each([
    [
      'a recording of another format',
      'a.aac',
      Buffer.from('fff15080000000000000', 'hex'),
      /a\.aac is a recording of type aac/,
    ],
    [
      'data that is only named like a Word document',
      'a.docx',
      Buffer.from('9b1c00ff00e29d07fe81', 'hex'),
      /^a\.docx is not a file of type docx but data of an unknown binary format\. It may be damaged or encrypted/,
    ],
    [
      'data of an unknown format',
      'a.bin',
      Buffer.from('9b1c00ff00e29d07fe81', 'hex'),
      /^a\.bin is data of an unknown binary format\. Supported types: txt, /,
    ],
    ['an archive of another kind', 'a.arj', Buffer.from('60ea2a00220b0102', 'hex'), /Pack the files as zip or tar\.gz/],
  ])('is refused for %s, with what to do instead', async (_, name, content, message) => {
    const padded = Buffer.concat([content, Buffer.alloc(600)]);
    await expect(typeOf(name, padded)).rejects.toMatchObject({ code: 'unsupported_type', message });
  });

  it('names legacy Office formats by their common names', async () => {
    const container = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]);
    await expect(typeOf('a.bin', container)).rejects.toMatchObject({
      message: expect.stringMatching(/^a\.bin is of an old Microsoft Office type/),
    });
  });

  it('is refused for an archive that is only named like a Word document', async () => {
    await expect(typeOf('a.docx', makeZip([{ name: 'a.txt', content: 'text' }]))).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
