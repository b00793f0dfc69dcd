import { gzipSync } from 'node:zlib';
import { makeEpub, makeTar } from '../../make-archives.ts';
import { makeZip } from '../../make-docx.ts';
import { mailHeaders, makeMail } from '../../make-mail.ts';
import { makeSelfContainingZip } from './self-containing-zip.ts';
import { describeHostileFiles } from './support.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const note = { name: 'note.txt', content: 'WORDS' };
const DEPTH = 100_000;

describeHostileFiles('archives', [
  {
    title: 'one that contains itself is opened a few times and no more',
    fileName: 'a.zip',
    make: () => makeSelfContainingZip(),
    outcome: 'refused',
    says: /files deep and was not opened/,
    seconds: 10,
  },
  {
    title: 'one that contains itself beside a text is read for the text',
    fileName: 'a.zip',
    make: () => makeZip([note, { name: 'a.zip', content: makeSelfContainingZip() }]),
    outcome: 'read',
    says: /WORDS/,
    seconds: 10,
  },
  {
    title: 'archives of archives of archives count their files together',
    fileName: 'a.zip',
    make: () => {
      const inner = makeZip(Array.from({ length: 100 }, (_, index) => ({ name: `${index}.txt`, content: 'x' })));
      return makeZip(Array.from({ length: 100 }, (_, index) => ({ name: `${index}.zip`, content: inner })));
    },
    outcome: 'refused',
    says: /more than 5000 files/,
    seconds: 15,
  },
  {
    title: 'an archive of 9,000 files is refused with the number',
    fileName: 'a.zip',
    make: () => makeZip(Array.from({ length: 9_000 }, (_, index) => ({ name: `${index}.txt`, content: 'x' }))),
    outcome: 'refused',
    says: /9000 files/,
  },
  {
    title: 'names that lead elsewhere are labels without a way out',
    fileName: 'a.zip',
    make: () =>
      makeZip(
        [
          '../../../../etc/passwd',
          '/etc/shadow',
          'C:\\Windows\\..\\..\\system.txt',
          '..\\up.txt',
          'a\0b.txt',
          '\u202etxt.exe',
        ].map((name) => ({ name, content: 'WORDS' })),
      ),
    outcome: 'read',
    says: /^etc\/passwd\n\nWORDS\n\netc\/shadow\n\nWORDS\n\nWindows\/system\.txt/,
    saysNot: /\.\.|\u202e|\0|root:/,
  },
  {
    title: 'the same in a tar archive, with a link that is not followed',
    fileName: 'a.tar',
    make: () => {
      const bytes = Buffer.from(
        makeTar([
          { name: '../../escaped.txt', content: 'WORDS' },
          { name: 'link', content: '' },
        ]),
      );
      const link = bytes.indexOf('link');
      bytes.write('2', link + 156);
      bytes.write('/etc/passwd', link + 157);
      return bytes;
    },
    outcome: 'read',
    says: /^escaped\.txt\n\nWORDS$/,
  },
  {
    title: 'a tar entry that claims eight gigabytes ends the archive',
    fileName: 'a.tar',
    make: () => {
      const bytes = Buffer.from(makeTar([note, { name: 'large.txt', content: 'x' }]));
      const header = bytes.subarray(1_024, 1_536);
      header.write('77777777777\0', 124);
      header.write('        ', 148);
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      );
      return bytes;
    },
    outcome: 'read',
    says: /WORDS/,
  },
  {
    title: 'gzip within gzip a hundred times is refused',
    fileName: 'a.gz',
    make: () => Array.from({ length: 100 }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('WORDS')),
    outcome: 'refused',
    says: /more than 2 files deep/,
  },
  {
    title: 'a directory that names one part ten thousand times unpacks it within bounds',
    fileName: 'a.zip',
    make: () => makeSelfContainingZip({ copies: 9_999, content: Buffer.alloc(60_000, 'words ') }),
    outcome: 'refused',
  },
]);

describeHostileFiles('mails', [
  {
    title: 'nested 1,000 deep as attachments',
    fileName: 'a.eml',
    make: () =>
      utf8(`${`${mailHeaders('x')}Content-Type: message/rfc822\r\n\r\n`.repeat(1_000)}${mailHeaders('x')}\r\nWORDS`),
    outcome: 'either',
    seconds: 10,
  },
  {
    title: 'nested 1,000 deep as parts',
    fileName: 'a.eml',
    make: () =>
      utf8(
        Array.from({ length: 1_000 }).reduce<string>(
          (inner, _, index) =>
            `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n${inner}\r\n--b${index}--\r\n`,
          'Content-Type: text/plain\r\n\r\nWORDS',
        ),
      ),
    outcome: 'either',
    seconds: 10,
  },
  {
    title: 'of 100,000 parts',
    fileName: 'a.eml',
    make: () =>
      utf8(`Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(DEPTH)}--b--`),
    outcome: 'refused',
    says: /2000 MIME parts/,
    seconds: 10,
  },
  {
    title: 'of 100,000 boundaries that never close and hold each other',
    fileName: 'a.eml',
    make: () =>
      utf8(`Subject: x\r\n${'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n'.repeat(DEPTH / 2)}WORDS`),
    outcome: 'either',
    seconds: 10,
  },
  {
    title: 'with a header without end',
    fileName: 'a.eml',
    make: () => utf8(`Subject: ${'x'.repeat(4_000_000)}`),
    outcome: 'either',
    seconds: 10,
  },
  {
    title: 'with headers without end',
    fileName: 'a.eml',
    make: () => utf8('X-A: b\r\n'.repeat(600_000)),
    outcome: 'either',
    seconds: 10,
  },
  {
    title: 'with 4 MB without a blank',
    fileName: 'a.eml',
    make: () => utf8(`${mailHeaders('x')}\r\n${'x'.repeat(4_000_000)}`),
    outcome: 'read',
    seconds: 10,
  },
  {
    title: 'whose HTML nests 100,000 elements',
    fileName: 'a.eml',
    make: () =>
      utf8(makeMail('x', [{ type: 'text/html', content: `${'<div>'.repeat(DEPTH)}WORDS${'</div>'.repeat(DEPTH)}` }])),
    outcome: 'read',
    says: /WORDS/,
    seconds: 10,
  },
  {
    title: 'whose attachment leads elsewhere by its name',
    fileName: 'a.eml',
    make: () => utf8(makeMail('x', [{ type: 'text/plain', name: '../../../etc/passwd.txt', content: 'WORDS' }])),
    outcome: 'read',
    says: /etc\/passwd\.txt\n\nWORDS/,
    saysNot: /\.\.\/|root:/,
  },
  {
    title: 'an envelope that nests 100,000 parts',
    fileName: 'a.p7s',
    make: () => Buffer.concat([Buffer.from('3080'.repeat(DEPTH), 'hex'), Buffer.alloc(1_000)]),
    outcome: 'either',
    seconds: 10,
  },
]);

describeHostileFiles('e-books', [
  {
    title: 'with a chapter of 100,000 nested elements',
    fileName: 'a.epub',
    make: () => makeEpub([{ title: 'One', body: `${'<div>'.repeat(DEPTH)}WORDS${'</div>'.repeat(DEPTH)}` }]),
    outcome: 'read',
    says: /WORDS/,
  },
  {
    title: 'with entities that grow in their list of parts',
    fileName: 'a.epub',
    make: () => {
      const book = Buffer.from(
        makeEpub([{ title: 'One', body: '<p>WORDS</p>' }], {
          more: [
            {
              name: 'x.opf',
              content: '<!DOCTYPE a [<!ENTITY a "&b;&b;"><!ENTITY b SYSTEM "file:///etc/passwd">]><a>&a;</a>',
            },
          ],
        }),
      );
      return new Uint8Array(book);
    },
    outcome: 'read',
    saysNot: /root:/,
  },
  {
    title: 'whose parts lead out of the archive',
    fileName: 'a.epub',
    make: () =>
      makeZip([
        { name: 'META-INF/container.xml', content: '<container><rootfile full-path="../../etc/passwd"/></container>' },
        { name: 'a.opf', content: '<package/>' },
      ]),
    outcome: 'refused',
    saysNot: /root:/,
  },
]);
