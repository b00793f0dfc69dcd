import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { makeMail } from '../make-mail.ts';
import { readFile } from './support.ts';

const german = 'Die Fähre fährt täglich außer sonntags. Für Fahrräder gibt es zwölf Plätze.';
const russian = 'Паром отходит в девять часов утра. Возьмите с собой тёплую одежду.';
const chinese = '渡轮每天上午九点出发。请带上保暖的衣服，在码头等候。';
const page = (text: string, charset?: string): string =>
  `<!doctype html><html><head>${charset === undefined ? '' : `<meta charset="${charset}">`}<title>${text.slice(0, 9)}</title></head><body><p>${text}</p></body></html>`;

describe('a web page', () => {
  it.each([
    ['Windows-1252 that says so', german, 'windows-1252', 'windows-1252', false],
    ['Windows-1252 that says nothing', german, undefined, 'windows-1252', false],
    ['Windows-1252 that says it is UTF-8', german, 'utf-8', 'windows-1252', false],
    ['UTF-8 that says it is Latin-1', german, 'iso-8859-1', 'utf-8', false],
    ['UTF-8 that says it is something unheard of', german, 'x-nonsense', 'utf-8', false],
    ['UTF-16 with a mark', german, undefined, 'utf-16le', true],
    ['UTF-16 without a mark', german, undefined, 'utf-16le', false],
    ['UTF-16 big endian without a mark that says it is UTF-8', german, 'utf-8', 'utf-16be', false],
    ['UTF-32 without a mark', german, undefined, 'utf-32le', false],
    ['CP866', russian, 'ibm866', 'cp866', false],
    ['KOI8-R that says nothing', russian, undefined, 'koi8-r', false],
    ['GB 18030 that says GB2312', chinese, 'gb2312', 'gb18030', false],
  ])('in %s is read', async (_, text, charset, encoding, addBOM) => {
    expect((await readFile('a.html', iconv.encode(page(text, charset), encoding, { addBOM }))).text).toBe(text);
  });
});

describe.each([
  ['windows-1252', german],
  ['utf-16le', german],
  ['utf-16be', russian],
  ['utf-32le', german],
  ['cp866', russian],
  ['koi8-r', russian],
  ['gb18030', chinese],
])('in %s', (encoding, text) => {
  it.each([
    ['plain text', 'a.txt', (line: string) => line],
    ['Markdown', 'a.md', (line: string) => `# Title\n\n${line}`],
    ['a table', 'a.csv', (line: string) => `name;text\nfirst;${line}\nsecond;${line}\n`],
    ['JSON', 'a.json', (line: string) => JSON.stringify({ text: line })],
    ['JSON Lines', 'a.jsonl', (line: string) => `${JSON.stringify({ text: line })}\n`.repeat(3)],
    ['source code', 'a.py', (line: string) => `def a():\n    """${line}"""\n`],
    ['reStructuredText', 'a.rst', (line: string) => `Title\n=====\n\n${line}`],
    ['Org', 'a.org', (line: string) => `* Title\n${line}`],
  ])('%s is read', async (_, name, make) => {
    expect((await readFile(name, iconv.encode(make(text), encoding, { addBOM: false }))).text).toContain(text);
  });
});

it('a signed mail in an old encoding is read', async () => {
  const content = iconv.encode(russian, 'koi8-r');
  const mail = makeMail('x', [{ type: 'text/plain; charset=koi8-r', content }], 'signed');
  expect((await readFile('a.p7s', mail)).text).toContain(russian);
});
