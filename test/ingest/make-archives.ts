import { gzipSync } from 'node:zlib';
import { makeZip, type ZipPart } from './make-docx.ts';

/** A tar archive; long names in a preceding record, as GNU tar writes them. */
export function makeTar(parts: readonly ZipPart[]): Uint8Array {
  const blocks = parts.flatMap(({ name, content }) => {
    const long = Buffer.byteLength(name) > 99 ? tarEntry('././@LongLink', Buffer.from(`${name}\0`), 'L') : [];
    return [...long, ...tarEntry(name.slice(0, 99), Buffer.from(content as string), '0')];
  });
  return new Uint8Array(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

export const makeTarGz = (parts: readonly ZipPart[]): Uint8Array => new Uint8Array(gzipSync(makeTar(parts)));

function tarEntry(name: string, content: Buffer, kind: string): Buffer[] {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(kind, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

export interface TestChapter {
  readonly title: string;
  readonly body: string;
}

/** An e-book; the chapters are in the archive in reverse reading order. */
export function makeEpub(
  chapters: readonly TestChapter[],
  { old = false, more = [] as readonly ZipPart[] } = {},
): Uint8Array {
  const href = (index: number) => `text/c${chapters.length - index}.xhtml`;
  const items = chapters.map(
    (_, index) => `<item id="c${index}" href="${href(index)}" media-type="application/xhtml+xml"/>`,
  );
  const contents = old
    ? '<item id="toc" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    : '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>';
  const nav = old
    ? `<ncx><navMap>${chapters.map(({ title }, index) => `<navPoint><navLabel><text>${title}</text></navLabel><content src="${href(index)}#top"/></navPoint>`).join('')}</navMap></ncx>`
    : `<html><body><nav epub:type="toc"><ol>${chapters.map(({ title }, index) => `<li><a href="${href(index)}">${title}</a></li>`).join('')}</ol></nav></body></html>`;
  return makeZip([
    { name: 'mimetype', content: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OPS/book.opf',
      content: `<package><metadata xmlns:dc="d"><dc:title>The Ferry</dc:title><dc:creator>Ann</dc:creator><dc:language>en</dc:language></metadata><manifest>${contents}${items.toReversed().join('')}</manifest><spine toc="toc">${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    },
    { name: old ? 'OPS/toc.ncx' : 'OPS/nav.xhtml', content: nav },
    ...chapters
      .map(({ body }, index) => ({ name: `OPS/${href(index)}`, content: `<html><body>${body}</body></html>` }))
      .toReversed(),
    ...more,
  ]);
}
