import { gzipSync, zstdCompressSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { makeEpub, makeTar, makeTarGz } from '../make-archives.ts';
import { makeZip, wordParagraph, wordParts } from '../make-docx.ts';
import { makeMail } from '../make-mail.ts';
import { makeCab, makeRar, makeSevenZip } from '../make-packed.ts';
import { blocksOf, readFile } from './support.ts';

const parts = [
  { name: 'docs/notes.md', content: '# Notes\n\nThe ferry leaves at nine.' },
  { name: 'docs/terms.docx', content: makeZip(wordParts(wordParagraph('Terms apply.'))) },
  { name: `${'long/'.repeat(30)}plain.txt`, content: 'Bring a coat.' },
];

describe('an archive', () => {
  it.each([
    ['zip', makeZip(parts)],
    ['tar', makeTar(parts)],
    ['tar.gz', makeTarGz(parts)],
    ['7z', makeSevenZip(parts)],
    ['rar', makeRar(parts)],
    ['tar.bz2', makeSevenZip([{ name: 'a.tar', content: makeTar(parts) }], { type: 'bzip2' })],
    ['tar.xz', makeSevenZip([{ name: 'a.tar', content: makeTar(parts) }], { type: 'xz' })],
    ['tar.zst', zstdCompressSync(makeTar(parts))],
  ])('of type %s has a section for each file, named by its path and read by its type', async (extension, made) => {
    const read = await readFile(`a.${extension}`, await made);
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'docs/notes.md'],
      ['heading 2', '# Notes'],
      ['paragraph', 'The ferry leaves at nine.'],
      ['heading 1', 'docs/terms.docx'],
      ['paragraph', 'Terms apply.'],
      ['heading 1', `${'long/'.repeat(30)}plain.txt`],
      ['paragraph', 'Bring a coat.'],
    ]);
    expect(read.metadata).toMatchObject({ file_count: 3 });
  });

  it('of type cab is opened', async () => {
    const read = await readFile('a.cab', makeCab({ name: 'note.txt', content: 'Bring a coat.' }));
    expect(read.text).toContain('Bring a coat.');
  });

  it('of a single file is read as that file', async () => {
    const note = [{ name: 'note.txt', content: 'Bring a coat.' }];
    expect((await readFile('note.txt.bz2', await makeSevenZip(note, { type: 'bzip2' }))).text).toBe('Bring a coat.');
    expect((await readFile('note.txt.zst', zstdCompressSync('Bring a coat.'))).text).toBe('Bring a coat.');
  });

  it('that 7-Zip cannot unpack is refused in words', async () => {
    const content = 'Bring a coat. '.repeat(50);
    const files = [{ name: 'note.txt', content }];
    await expect(readFile('a.7z', await makeSevenZip(files, { options: ['-psecret'] }))).rejects.toThrow(
      /needs a password/,
    );
    const hidden = await makeSevenZip(files, { options: ['-psecret', '-mhe=on'] });
    await expect(readFile('a.7z', hidden)).rejects.toThrow(/needs a password/);
    await expect(readFile('a.rar', makeRar(files, { isEncrypted: true }))).rejects.toThrow(/needs a password/);
    const whole = await makeSevenZip(files);
    await expect(readFile('a.7z', whole.subarray(0, whole.length / 2))).rejects.toThrow(/damaged or was cut off/);
    await expect(readFile('a.rar', makeRar(files).subarray(0, 100))).rejects.toThrow(/damaged or was cut off/);
  });

  it('that would unpack to too much is refused before it is unpacked', async () => {
    const large = await makeSevenZip([{ name: 'zeros', content: new Uint8Array(155_000_000) }], { options: ['-mx=1'] });
    expect(large.length).toBeLessThan(200_000);
    await expect(readFile('a.7z', large)).rejects.toThrow(/unpacks to more than/);
  });

  it('with names that lead out of it reads their files under harmless names', async () => {
    const read = await readFile('a.rar', makeRar([{ name: '../../etc/passwd', content: 'Bring a coat.' }]));
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'etc/passwd'],
      ['paragraph', 'Bring a coat.'],
    ]);
  });

  it('within an archive or a mail is opened, up to a nesting limit', async () => {
    const innermost = makeZip([{ name: 'deep.txt', content: 'Too deep.' }]);
    const inner = makeZip([
      { name: 'c.zip', content: innermost },
      { name: 'c.txt', content: 'Third.' },
    ]);
    const mail = makeMail('x', [{ type: 'application/zip', name: 'b.zip', content: inner }]);
    const read = await readFile('a.zip', makeZip([{ name: 'mail.eml', content: mail }]));
    expect(blocksOf(read).filter(([kind]) => kind.startsWith('heading'))).toEqual([
      ['heading 1', 'mail.eml'],
      ['heading 2', 'b.zip'],
      ['heading 3', 'c.txt'],
    ]);
    expect(read.metadata['unread_files']).toEqual([
      { name: 'mail.eml/b.zip/c.zip', reason: expect.stringContaining('not opened') },
    ]);
  });

  it('skips files of operating systems, and lists what could not be read', async () => {
    const read = await readFile(
      'a.zip',
      makeZip([
        { name: '__MACOSX/._notes.md', content: 'x' },
        { name: '.git/config', content: '[core]' },
        { name: 'notes.txt', content: 'Boats.' },
        { name: 'photo.png', content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
        { name: 'broken.json', content: '{"a":' },
      ]),
    );
    expect(read.metadata).toMatchObject({
      files: ['notes.txt'],
      unread_files: [
        { name: 'photo.png', reason: expect.stringContaining('CITEWELL_READ_IMAGES') },
        { name: 'broken.json', reason: expect.stringContaining('not valid JSON') },
      ],
    });
  });

  it.each([
    ['is empty', makeZip([]), /without any files/],
    [
      'holds nothing that can be read',
      makeZip([{ name: 'a.json', content: '{' }]),
      /Nothing in a\.zip can be read: not a\.json\./,
    ],
    ['was cut off', makeZip(parts).subarray(0, 300), /damaged or was cut off/],
  ])('that %s is refused with that reason', async (_, bytes, message) => {
    await expect(readFile('a.zip', bytes)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it('decodes file names of other code pages', async () => {
    const zip = Buffer.from(makeZip([{ name: 'XXXXXXX.txt', content: 'Boats.' }]));
    const name = iconv.encode('Договор', 'cp866');
    for (let at = zip.indexOf('XXXXXXX'); at !== -1; at = zip.indexOf('XXXXXXX')) zip.set(name, at);
    expect((await readFile('a.zip', zip)).metadata['files']).toEqual(['Договор.txt']);
  });

  it('reports a file that needs a password', async () => {
    const zip = Buffer.from(makeZip([{ name: 'a.txt', content: 'Boats.' }]));
    zip.writeUInt8(1, zip.indexOf('PK\x01\x02', 0, 'latin1') + 8);
    await expect(readFile('a.zip', zip)).rejects.toMatchObject({
      message: expect.stringContaining('needs a password'),
    });
  });

  it('of one packed file is read as that file', async () => {
    const read = await readFile('log.csv.gz', gzipSync('route,price\nNorth,12\nSouth,14\n'));
    expect(read.text).toContain('route: North; price: 12');
  });
});

describe('an e-book', () => {
  const chapters = [
    { title: 'Departure', body: '<h1>Departure</h1><p>The ferry leaves.</p>' },
    {
      title: 'The crossing',
      body: '<p>Waves &amp; wind.</p><table><tr><th>Hour</th><th>Wind</th></tr><tr><td>9</td><td>4</td></tr></table>',
    },
  ];

  it.each([false, true])('is read in spine order, with headings from its table of contents (NCX: %s)', async (old) => {
    const read = await readFile('a.epub', makeEpub(chapters, { old }));
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Departure'],
      ['paragraph', 'The ferry leaves.'],
      ['heading 1', 'The crossing'],
      ['paragraph', 'Waves & wind.'],
      ['table', '| Hour | Wind |\n| --- | --- |\n| 9 | 4 |'],
    ]);
    expect(read).toMatchObject({ type: 'epub', title: 'The Ferry', metadata: { author: 'Ann', language: 'en' } });
  });

  it('with DRM is refused', async () => {
    const more = [
      {
        name: 'META-INF/encryption.xml',
        content: '<encryption><CipherReference URI="OPS/text/c1.xhtml"/></encryption>',
      },
    ];
    await expect(readFile('a.epub', makeEpub(chapters, { more }))).rejects.toMatchObject({ message: /locked/ });
  });

  it('without a package document is refused', async () => {
    await expect(
      readFile('a.epub', makeZip([{ name: 'mimetype', content: 'application/epub+zip' }])),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
