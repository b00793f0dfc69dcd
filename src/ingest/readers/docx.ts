import { load } from 'cheerio';
import mammoth from 'mammoth';
import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import { createTextBuilder } from './build-text.ts';
import { cleanText } from './clean-text.ts';
import { removeNoteMarks } from './html.ts';
import { addHtmlBlocks } from './html-blocks.ts';
import type { Reader } from './reader.ts';
import { readZipEntries, unpackEntry, type ZipEntry } from './zip-entries.ts';

/** Word documents of any length stay far below; archives made to fill the memory do not. */
const MAX_UNPACKED_BYTES = 100_000_000;
const MAX_PARTS = 5_000;

/** Word documents: headings, lists, tables and notes. */
export const docxReader: Reader = {
  types: ['docx'],
  async read({ bytes, fileName }) {
    const parts = checkedParts(bytes, fileName);
    const html = await convert(bytes, fileName);
    const $ = load(html, null, false);
    // The arrows that lead back from a note to the text are not text.
    $('a[href^="#footnote-ref"], a[href^="#endnote-ref"]').remove();
    removeNoteMarks($);
    const builder = createTextBuilder();
    for (const root of $.root().get())
      addHtmlBlocks({ ...builder, add: (kind, text, heading) => builder.add(kind, cleanText(text), heading) }, root);
    const { title, ...metadata } = readProperties(bytes, parts);
    const content = builder.finish();
    const firstHeading = content.blocks.find(({ kind }) => kind === 'heading');
    const shown =
      title ?? (firstHeading?.level === 1 ? content.text.slice(firstHeading.start, firstHeading.end) : undefined);
    return { ...content, ...(shown === undefined ? {} : { title: shown }), metadata };
  },
};

/** Unpacks every part once against a common limit, so that what follows cannot be made to unpack more. */
function checkedParts(bytes: Uint8Array, fileName: string): readonly ZipEntry[] {
  const entries = readZipEntries(bytes);
  if (entries === undefined || entries.length === 0) {
    throw new ServiceError('invalid_request', `${fileName} is not a Word document: it is no readable archive.`);
  }
  if (entries.length > MAX_PARTS)
    throw new ServiceError('too_large', `${fileName} has ${entries.length} parts; at most ${MAX_PARTS} are read.`);
  let left = MAX_UNPACKED_BYTES;
  for (const entry of entries) {
    if (!/\.(?:xml|rels)$/i.test(entry.name)) continue;
    const part = entry.declaredSize > left ? undefined : unpackEntry(bytes, entry, Math.max(1, left));
    if (part === undefined) {
      throw new ServiceError('too_large', `${fileName} unpacks to more than ${MAX_UNPACKED_BYTES} bytes.`);
    }
    left -= part.length;
  }
  return entries;
}

async function convert(bytes: Uint8Array, fileName: string): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        // Pictures have no text; leaving them out keeps megabytes of base64 away.
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
        externalFileAccess: false,
      },
    );
    return value;
  } catch (error) {
    throw new ServiceError(
      'invalid_request',
      `${fileName} is not a readable Word document: ${(error as Error).message}.`,
      { cause: error },
    );
  }
}

function readProperties(bytes: Uint8Array, parts: readonly ZipEntry[]): Metadata & { readonly title?: string } {
  const entry = parts.find(({ name }) => name === 'docProps/core.xml');
  if (entry === undefined) return {};
  const $ = load(unpackEntry(bytes, entry, 1_000_000)?.toString('utf8') ?? '', { xml: true });
  const read = (tag: string) => $(tag).first().text().trim();
  const fields = {
    title: read('dc\\:title'),
    author: read('dc\\:creator'),
    created: read('dcterms\\:created'),
    language: read('dc\\:language'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
