import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { makeCompoundFile } from '../../make-compound.ts';
import { makeZip, wordParagraph, wordParts } from '../../make-docx.ts';
import {
  mailHeaders,
  makeEncrypted,
  makeMail,
  makeMultipart,
  makeSigned,
  makeStreamedSigned,
} from '../../make-mail.ts';
import { blocksOf, readFile } from '../support.ts';

const plain = { type: 'text/plain; charset=utf-8', content: 'The ferry leaves at nine.' };
const wide = (text: string): Uint8Array => iconv.encode(text, 'utf-16le');

describe('a mail', () => {
  it('is read with sender, recipients, date and subject before the body', async () => {
    const read = await readFile('a.eml', makeMail('Ferries', [plain]));
    expect(read.text).toBe(
      'From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nDate: Mon, 15 Jan 2024 09:30:00 +0100\nSubject: Ferries\n\nThe ferry leaves at nine.',
    );
    expect(read.title).toBe('Ferries');
    expect(read.metadata).toEqual({
      from: 'Ann <ann@example.org>',
      to: 'Bob <bob@example.org>',
      date: '2024-01-15T08:30:00.000Z',
    });
  });

  it('has each attachment as a section, read by its type', async () => {
    const page = '<html><body><h1>Fares</h1><p>Twelve pounds.</p></body></html>';
    const read = await readFile(
      'a.eml',
      makeMail('Ferries', [
        plain,
        {
          type: 'application/octet-stream',
          name: 'terms.docx',
          content: makeZip(wordParts(wordParagraph('Terms apply.'))),
        },
        { type: 'text/html', name: 'fares.html', content: page },
        { type: 'text/csv', name: 'log.csv', content: 'route,price\nNorth,12\nSouth,14\n' },
      ]),
    );
    expect(blocksOf(read).slice(2)).toEqual([
      ['heading 1', 'terms.docx'],
      ['paragraph', 'Terms apply.'],
      ['heading 1', 'fares.html'],
      ['heading 2', 'Fares'],
      ['paragraph', 'Twelve pounds.'],
      ['heading 1', 'log.csv'],
      ['paragraph', 'route,price'],
      ['table', 'route: North; price: 12\nroute: South; price: 14'],
    ]);
    expect(read.metadata).toMatchObject({ files: ['terms.docx', 'fares.html', 'log.csv'] });
  });

  it('is ingested when an attachment cannot be read, which is recorded in its metadata', async () => {
    const read = await readFile(
      'a.eml',
      makeMail('x', [
        plain,
        { type: 'audio/mpeg', name: 'song.mp3', content: Buffer.from('ID3\u0003\0\0\0\0\0\0'.padEnd(500, '\0')) },
      ]),
    );
    expect(read.text).toContain('The ferry leaves');
    expect(read.metadata['unread_files']).toEqual([
      { name: 'song.mp3', reason: expect.stringContaining('recording inside of another file') },
    ]);
  });

  it('within a mail is a section with its own attachments', async () => {
    const inner = makeMail('Inner', [plain, { type: 'text/plain', name: 'note.txt', content: 'Bring a coat.' }]);
    const read = await readFile(
      'a.eml',
      makeMail('Outer', [
        { ...plain, content: 'See below.' },
        { type: 'message/rfc822', content: inner },
      ]),
    );
    expect(blocksOf(read).filter(([kind]) => kind.startsWith('heading'))).toEqual([
      ['heading 1', 'Inner.eml'],
      ['heading 2', 'note.txt'],
    ]);
    expect(read.text).toContain('Bring a coat.');
  });

  it.each([
    ['the plain form of two', plain.content, '<p>The <b>ferry</b> leaves at nine.</p>', 'The ferry leaves at nine.'],
    [
      'the HTML form when the plain one only says that there is one',
      'Use another program.',
      `<h2>Ferries</h2><p>${'They leave at nine. '.repeat(20)}</p>`,
      'They leave at nine.',
    ],
  ])('gives %s', async (_, text, html, expected) => {
    const parts = [
      { type: 'text/plain', content: text },
      { type: 'text/html', content: html },
    ];
    for (const kind of ['alternative', 'mixed']) {
      const read = await readFile('a.eml', makeMail('x', parts, kind));
      expect(read.text.split('Subject: x\n\n')[1]).toContain(expected);
    }
    const { text: alternative } = await readFile('a.eml', makeMail('x', parts, 'alternative'));
    expect(alternative.match(/leaves? at nine/g)?.length).toBe(expected.startsWith('They') ? 20 : 1);
  });

  it('of HTML alone is read with its headings and tables', async () => {
    const html = '<h2>Fares</h2><table><tr><th>Route</th><th>Price</th></tr><tr><td>North</td><td>12</td></tr></table>';
    const read = await readFile('a.eml', makeMail('x', [{ type: 'text/html; charset=utf-8', content: html }]));
    expect(blocksOf(read).slice(1)).toEqual([
      ['heading 2', 'Fares'],
      ['table', '| Route | Price |\n| --- | --- |\n| North | 12 |'],
    ]);
  });

  it.each([
    ['windows-1252', 'Die Fähre fährt täglich außer sonntags.'],
    ['koi8-r', 'Паром отходит в девять часов утра.'],
    ['shift_jis', 'フェリーは毎日九時に出発します。'],
    ['gb18030', '渡轮每天上午九点出发。'],
  ])('declared as %s is decoded', async (charset, text) => {
    const content = iconv.encode(text, charset);
    const read = await readFile('a.eml', makeMail('x', [{ type: `text/plain; charset=${charset}`, content }]));
    expect(read.text).toContain(text);
  });

  it('without a declared encoding is decoded', async () => {
    const bytes = Buffer.concat([
      Buffer.from('Subject: x\r\n\r\n'),
      iconv.encode('Die Fähre fährt täglich außer sonntags.', 'windows-1252'),
    ]);
    expect((await readFile('a.eml', bytes)).text).toContain('Die Fähre fährt täglich außer sonntags.');
  });

  it('has decoded headers and attachment names', async () => {
    const cut = Buffer.from('Fähre');
    const word = (bytes: Uint8Array) => `=?utf-8?B?${Buffer.from(bytes).toString('base64')}?=`;
    const mail = [
      `Subject: ${word(cut.subarray(0, 2))} ${word(cut.subarray(2))} =?iso-8859-1?Q?_f=E4hrt_heute?=`,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      "Content-Disposition: attachment; filename*0*=utf-8''F%C3%A4hr; filename*1=plan.txt",
      '',
      'Nine.',
      '--b--',
    ].join('\r\n');
    const read = await readFile('a.eml', mail);
    expect(read.title).toBe('Fähre fährt heute');
    expect(read.metadata['files']).toEqual(['Fährplan.txt']);
  });

  it('has soft line breaks joined (format=flowed)', async () => {
    const body = 'Content-Type: text/plain; format=flowed\r\n\r\nThe ferry \r\nleaves at nine.\r\n-- \r\nAnn\r\n';
    expect((await readFile('a.eml', mailHeaders('x') + body)).text).toContain('The ferry leaves at nine.\n-- \nAnn');
  });

  it('with an invitation gives time and place once', async () => {
    const meeting =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Harbour\\, talk\r\nDTSTART;TZID=Europe/Berlin:20240131T090000\r\nLOCATION:Pier\r\n  4\r\nORGANIZER;CN="Ann":mailto:ann@example.org\r\nBEGIN:VALARM\r\nDESCRIPTION:Alarm\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    const alternative = makeMultipart('alternative', [
      plain,
      { type: 'text/calendar; method=REQUEST', content: meeting },
    ]);
    const read = await readFile(
      'a.eml',
      makeMail('x', [
        { type: 'multipart/alternative', content: alternative },
        { type: 'application/ics', name: 'invite.ics', content: meeting },
      ]),
    );
    expect(read.text.match(/Harbour, talk/g)).toHaveLength(1);
    expect(read.text).toContain(
      '- Begins: 2024-01-31 09:00 Europe/Berlin\n- Place: Pier 4\n- Organiser: Ann <ann@example.org>',
    );
    expect(read.text).not.toContain('Alarm');
  });

  it('that is empty is refused', async () => {
    await expect(readFile('a.eml', '\n\n')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a signed mail', () => {
  const inner = 'Content-Type: text/plain; charset=utf-8\r\n\r\nHello World, signed.\r\n';

  it.each([
    [
      'beside its signature',
      `${mailHeaders('x')}${makeMultipart('signed', [
        { type: 'multipart/mixed', content: inner },
        { type: 'application/pkcs7-signature', content: 'AAAA', name: 'smime.p7s' },
      ])}`,
    ],
    [
      'beside its signature, as a file that has no headers of its own',
      '\nMIME-Version: 1.0\nContent-Type: multipart/signed; boundary="b"\n\nThis is signed\n\n--b\nHello World, signed.\n\n--b\nContent-Type: application/pkcs7-signature\n\nAAAA\n--b--\n',
    ],
    ['wrapped in it, in binary', makeSigned(Buffer.from(inner))],
    ['wrapped in it, streamed', makeStreamedSigned(Buffer.from(inner))],
    [
      'wrapped in it, as text',
      `-----BEGIN PKCS7-----\n${makeSigned(Buffer.from(inner)).toString('base64')}\n-----END PKCS7-----\n`,
    ],
  ])('%s is read', async (_, content) => {
    const read = await readFile('a.p7s', content);
    expect(read.text).toContain('Hello World, signed.');
    expect(read.text).not.toContain('AAAA');
    expect(read.type).toBe('p7s');
  });

  it('inside another mail is read', async () => {
    const mail = `${mailHeaders('Wrapped')}Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n${makeSigned(Buffer.from(inner)).toString('base64')}`;
    expect((await readFile('a.eml', mail)).text).toContain('Hello World, signed.');
  });

  it.each([
    ['holds a signature only', makeSigned(undefined), /signature only/],
    ['is encrypted', makeEncrypted(), /encrypted/],
    ['is damaged', Buffer.concat([makeSigned(Buffer.from(inner)).subarray(0, 40), Buffer.alloc(200, 0xfe)]), /damaged/],
  ])('that %s is refused with that reason', async (_, content, message) => {
    await expect(readFile('a.p7s', content)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it('that is encrypted is refused, whatever its headers say', async () => {
    const mail = `${mailHeaders('x')}Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${makeEncrypted().toString('base64')}`;
    await expect(readFile('a.eml', mail)).rejects.toMatchObject({ code: 'invalid_request', message: /encrypted/ });
  });
});

describe('an Outlook .msg file', () => {
  const outer = {
    '__substg1.0_0037001F': wide('Ferries'),
    '__substg1.0_0C1A001F': wide('Ann'),
    '__substg1.0_0C1F001F': wide('ann@example.org'),
    '__substg1.0_0E04001F': wide('Bob'),
  };

  it('is read with its attachments and embedded mails', async () => {
    const attached = '__attach_version1.0_#00000000/';
    const mailed = '__attach_version1.0_#00000001/';
    const read = await readFile(
      'a.msg',
      makeCompoundFile({
        ...outer,
        '__substg1.0_1000001F': wide('The ferry leaves at nine.'),
        [`${attached}__substg1.0_3707001F`]: wide('note.txt'),
        [`${attached}__substg1.0_37010102`]: Buffer.from('Bring a coat.'),
        [`${mailed}__substg1.0_3701000D/__substg1.0_0037001F`]: wide('Inner'),
        [`${mailed}__substg1.0_3701000D/__substg1.0_1000001F`]: wide('A mail within.'),
      }),
    );
    expect(read).toMatchObject({ type: 'msg', title: 'Ferries' });
    expect(read.metadata).toMatchObject({ from: 'Ann <ann@example.org>', to: 'Bob', files: ['note.txt', 'Inner.eml'] });
    for (const words of ['The ferry leaves at nine.', 'Bring a coat.', 'A mail within.'])
      expect(read.text).toContain(words);
  });

  it('in a code page or in HTML is read', async () => {
    const narrow = await readFile(
      'a.msg',
      makeCompoundFile({
        ...outer,
        '__substg1.0_1000001E': iconv.encode('Die Fähre fährt täglich außer sonntags.\0', 'windows-1252'),
      }),
    );
    expect(narrow.text).toContain('Die Fähre fährt täglich außer sonntags.');
    const html = await readFile(
      'a.msg',
      makeCompoundFile({ ...outer, '__substg1.0_10130102': Buffer.from('<p>By the <b>pier</b>.</p>') }),
    );
    expect(html.text).toContain('By the pier.');
  });

  it.each([
    ['Greek', 1253, 'Το πλοίο φεύγει.'],
    ['Turkish', 1254, 'Gemi şimdi ığdır.'],
    ['Hebrew', 1255, 'הסירה יוצאת.'],
    ['Baltic', 1257, 'Laivas išplaukia į jūrą.'],
    ['Korean', 949, '배가 떠난다.'],
  ])('is decoded with its code page: %s', async (_, number, words) => {
    const codePage = Buffer.alloc(16);
    codePage.writeUInt32LE(0x3ffd0003, 0);
    codePage.writeUInt32LE(number, 8);
    const read = await readFile(
      'a.msg',
      makeCompoundFile({
        '__properties_version1.0': Buffer.concat([Buffer.alloc(32), codePage]),
        '__substg1.0_0037001E': iconv.encode(words, `cp${number}`),
        '__substg1.0_1000001E': iconv.encode(words, `cp${number}`),
        '__attach_version1.0_#00000000/__substg1.0_3707001E': iconv.encode(`${words}txt`, `cp${number}`),
        '__attach_version1.0_#00000000/__substg1.0_37010102': Buffer.from('Bring a coat.'),
      }),
    );
    expect(read.title).toBe(words);
    expect(read.text).toContain(words);
    expect(read.metadata).toMatchObject({ files: [`${words}txt`] });
  });

  it('in packed rich text is read', async () => {
    const rtf = Buffer.from('{\\rtf1\\ansi The ferry\\par leaves.}');
    // Without back-references: eight literal bytes after each flag byte.
    const packed = Array.from({ length: Math.ceil(rtf.length / 8) }, (_, index) =>
      Buffer.concat([Buffer.from([0]), rtf.subarray(index * 8, index * 8 + 8)]),
    );
    const head = Buffer.alloc(16);
    head.writeUInt32LE(rtf.length, 4);
    head.writeUInt32LE(0x75465a4c, 8);
    const read = await readFile(
      'a.msg',
      makeCompoundFile({ ...outer, '__substg1.0_10090102': Buffer.concat([head, ...packed]) }),
    );
    expect(read.text).toContain('The ferry\n\nleaves.');
  });
});

describe('a mailbox', () => {
  const separator = 'From ada@example.org Thu Jan  1 09:00:00 2026\n';
  const first = 'From: Ada <ada@example.org>\nSubject: Ferries\nDate: Thu, 1 Jan 2026 09:00:00 +0000\n\n';
  const second = 'From: Ben <ben@example.org>\nSubject: Trains\nContent-Type: text/plain; charset=iso-8859-1\n\n';
  const mailbox = Buffer.concat([
    Buffer.from(
      `${separator}${first}The ferry leaves at nine.\n\n>From here on it is slow.\nFrom no blank line 2026.\n\n`,
    ),
    Buffer.from(`${separator}${second}`),
    Buffer.from('Caf\u00e9 at ten.\n', 'latin1'),
  ]);

  it.each(['inbox.mbox', 'inbox'])('has a section for each mail: %s', async (name) => {
    const { text, metadata, type } = await readFile(name, mailbox);
    expect(type).toBe('mbox');
    expect(text).toMatch(/^Message 1: Ferries\s+From: Ada[\s\S]*Ferries\s+The ferry leaves at nine\./);
    expect(text).toMatch(/Message 2: Trains\s+From: Ben[\s\S]*Trains\s+Café at ten\.\s*$/);
    expect(text).toContain('From here on it is slow.\nFrom no blank line 2026.');
    expect(text).not.toContain('09:00:00 2026');
    expect(metadata).toMatchObject({ file_count: 2 });
  });

  it('is one also where the first mail is longer than the part that is looked at', async () => {
    const long = `${separator}${first}${'Ferries leave.\n'.repeat(5_000)}\n${separator}${second}Trains at ten.\n`;
    const { text, type } = await readFile('inbox', long);
    expect(type).toBe('mbox');
    expect(text).toMatch(/Message 2: Trains\s+From: Ben[\s\S]*Trains at ten\./);
  });

  it('names each mail by its subject, its date or its number', async () => {
    const mails = [
      'Subject: =?utf-8?Q?F=C3=A4hre?= 9/10.pdf\n',
      `Subject: ${'ferry '.repeat(60)}\n`,
      'Date: Thu, 1 Jan 2026 09:00:00 +0000 (UTC)\n',
      'Date: never\n',
    ];
    const source = mails.map((headers) => `${separator}From: Ada <ada@example.org>\n${headers}\nAt nine.\n\n`).join('');
    const { blocks, text, metadata } = await readFile('archive.mbox', source);
    const headings = blocks.filter(({ kind }) => kind === 'heading').map(({ start, end }) => text.slice(start, end));
    expect(headings).toEqual([
      'Message 1: Fähre 9-10.pdf',
      expect.stringMatching(/^Message 2: (?:ferry )+ferry …$/),
      'Message 3 (2026-01-01)',
      'Message 4',
    ]);
    expect(metadata).toMatchObject({ files: headings, file_count: 4 });
    expect(text.match(/At nine\./g)).toHaveLength(4);
  });
});
