import iconv from 'iconv-lite';
import { makeEpub, makeTar, makeTarGz } from '../../make-archives.ts';
import { makeCompoundFile } from '../../make-compound.ts';
import { makeZip, wordParagraph, wordParts } from '../../make-docx.ts';
import { makeMail, makeSigned } from '../../make-mail.ts';
import { officeSamples } from './samples.ts';

const WORDS = 'The ferry leaves the harbour at nine in the morning.';
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const wide = (text: string): Uint8Array => iconv.encode(text, 'utf-16le');
const page = `<!doctype html><html><head><title>Ferries</title><meta charset="utf-8"></head><body><h1>Ferries</h1>${`<p>${WORDS}</p>`.repeat(20)}<table><tr><th>Route</th><th>Hour</th></tr><tr><td>North</td><td>9</td></tr></table></body></html>`;
const word = (): Uint8Array => makeZip(wordParts(wordParagraph(WORDS)));
const files = () => [
  { name: 'docs/notes.md', content: `# Notes\n\n${WORDS}` },
  { name: 'docs/letter.docx', content: word() },
  { name: 'inner.zip', content: makeZip([{ name: 'a.txt', content: WORDS }]) },
];
const mail = (): string =>
  makeMail('Ferries', [
    { type: 'text/plain; charset=utf-8', content: WORDS },
    { type: 'text/html', content: page },
    { type: 'application/octet-stream', name: 'letter.docx', content: word() },
    { type: 'message/rfc822', content: makeMail('Inner', [{ type: 'text/plain', content: WORDS }]) },
  ]);

/** A small valid file of each format of text, mail, book and archive, by its name. */
export const textSamples: Readonly<Record<string, () => Uint8Array>> = {
  'a.txt': () => utf8(`FERRIES\n\n${`${WORDS}\n\n`.repeat(30)}`),
  'utf16.txt': () => wide(`${WORDS}\n`.repeat(30)),
  'cyrillic.txt': () => iconv.encode(`Паром отходит в девять часов утра. ${WORDS}\n`.repeat(20), 'cp866'),
  'a.md': () =>
    utf8(`---\ntitle: Ferries\n---\n# Ferries\n\n${WORDS}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> quoted\n`),
  'a.html': () => utf8(page),
  'a.csv': () => utf8(`route,text\n${`North,"${WORDS}"\n`.repeat(20)}`),
  'a.tsv': () => utf8(`route\ttext\n${`North\t${WORDS}\n`.repeat(20)}`),
  'a.json': () =>
    utf8(JSON.stringify({ title: 'Ferries', routes: Array.from({ length: 9 }, (_, id) => ({ id, text: WORDS })) })),
  'a.jsonl': () => utf8(`${JSON.stringify({ text: WORDS })}\n`.repeat(20)),
  'a.ipynb': () =>
    utf8(
      JSON.stringify({
        cells: [
          { cell_type: 'markdown', source: ['# Ferries\n', WORDS] },
          { cell_type: 'code', source: 'leave()', outputs: [{ output_type: 'stream', text: [WORDS] }] },
        ],
        nbformat: 4,
      }),
    ),
  'a.srt': () => utf8(`1\n00:00:01,000 --> 00:00:04,000\n${WORDS}\n\n2\n00:01:10,000 --> 00:01:12,000\nNorth.\n`),
  'a.vtt': () => utf8(`WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>${WORDS}\n`),
  'a.mbox': () => utf8(`From a@b.example Thu Jan  1 09:00:00 2026\n${mail()}\n\n`.repeat(2)),
  'a.rst': () =>
    utf8(
      `Ferries\n=======\n\n${WORDS}\n\n.. note:: ${WORDS}\n\n=====  ====\nRoute  Hour\n=====  ====\nNorth  9\n=====  ====\n\nCode::\n\n    run()\n`,
    ),
  'a.org': () =>
    utf8(`#+title: Ferries\n* Routes\n${WORDS}\n| a | b |\n|---+---|\n| 1 | 2 |\n#+begin_src sh\nrun\n#+end_src\n`),
  'a.man': () =>
    utf8(`.TH FERRY 1\n.SH NAME\nferry \\- ${WORDS}\n.TP\n.BR \\-a " " pier\n${WORDS}\n.RS\n.nf\nrun\n.fi\n.RE\n`),
  'a.py': () => utf8(`class Ferry:\n    """${WORDS}"""\n\n    def leave(self):\n        return '${WORDS}'\n`),
  'a.ts': () => utf8(`/** ${WORDS} */\nexport class Ferry {\n  leave() {\n    return \`${WORDS}\`;\n  }\n}\n`),
  'a.rs': () => utf8(`/// ${WORDS}\nimpl Ferry {\n    fn leave(&self) -> char { '{' }\n}\n`),
  'a.svg': () => utf8(`<svg xmlns="http://www.w3.org/2000/svg"><title>Ferries</title><text>${WORDS}</text></svg>`),
  'a.ics': () =>
    utf8(
      `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Ferry\r\nDTSTART:20240131T090000Z\r\nDESCRIPTION:${WORDS}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
    ),
  'a.eml': () => utf8(mail()),
  'a.p7s': () => makeSigned(Buffer.from(`Content-Type: text/plain\r\n\r\n${WORDS}`)),
  'a.msg': () =>
    makeCompoundFile({
      '__substg1.0_0037001F': wide('Ferries'),
      '__substg1.0_1000001F': wide(WORDS),
      '__attach_version1.0_#00000000/__substg1.0_3707001F': wide('letter.docx'),
      '__attach_version1.0_#00000000/__substg1.0_37010102': word(),
      '__attach_version1.0_#00000001/__substg1.0_3701000D/__substg1.0_1000001F': wide(WORDS),
    }),
  'a.epub': () =>
    makeEpub([
      { title: 'Ferries', body: `<p>${WORDS}</p>` },
      { title: 'Boats', body: `<h2>Boats</h2><p>${WORDS}</p>` },
    ]),
  'a.zip': () => makeZip(files()),
  'a.tar': () => makeTar(files()),
  'a.tar.gz': () => makeTarGz(files()),
};

/** A small valid file of every readable format. */
export const allSamples: Readonly<Record<string, () => Uint8Array>> = { ...officeSamples, ...textSamples };
