import { ServiceError } from '../../errors.ts';
import { type FileType, typeByName } from './file-types.ts';
import type { ReadDocument, Reader, ReaderInput } from './reader.ts';

/** Loaded when first needed: a PDF parser is no use to someone who ingests notes. */
const readers: Readonly<Record<FileType['reader'], () => Promise<Reader>>> = {
  text: async () => (await import('./text.ts')).textReader,
  markdown: async () => (await import('./markdown.ts')).markdownReader,
  html: async () => (await import('./html.ts')).htmlReader,
  pdf: async () => (await import('./pdf.ts')).pdfReader,
  docx: async () => (await import('./docx.ts')).docxReader,
  pptx: async () => (await import('./pptx.ts')).pptxReader,
  xlsx: async () => (await import('./xlsx.ts')).xlsxReader,
  openDocumentText: async () => (await import('./odt.ts')).odtReader,
  openDocumentSlides: async () => (await import('./odp.ts')).odpReader,
  openDocumentSheets: async () => (await import('./ods.ts')).odsReader,
  rtf: async () => (await import('./rtf.ts')).rtfReader,
  doc: async () => (await import('./doc.ts')).docReader,
  xls: async () => (await import('./xls.ts')).xlsReader,
  ppt: async () => (await import('./ppt.ts')).pptReader,
  csv: async () => (await import('./csv.ts')).csvReader,
  json: async () => (await import('./json.ts')).jsonReader,
  code: async () => (await import('./code.ts')).codeReader,
  mail: async () => (await import('./eml.ts')).emlReader,
  outlook: async () => (await import('./msg.ts')).msgReader,
  signed: async () => (await import('./p7s.ts')).p7sReader,
  calendar: async () => (await import('./calendar.ts')).calendarReader,
  epub: async () => (await import('./epub.ts')).epubReader,
  rst: async () => (await import('./rst.ts')).rstReader,
  org: async () => (await import('./org.ts')).orgReader,
  svg: async () => (await import('./svg.ts')).svgReader,
  zip: async () => (await import('./zip.ts')).zipReader,
  tar: async () => (await import('./tar.ts')).tarReader,
  gzip: async () => (await import('./gzip.ts')).gzipReader,
  image: async () => (await import('./image.ts')).imageReader,
};

/** Reads bytes of a known type. Throws `unsupported_type`, `too_large` and what the reader throws. */
export async function readDocument(type: string, input: ReaderInput): Promise<ReadDocument> {
  const known = typeByName(type);
  if (known === undefined) throw new ServiceError('unsupported_type', `No reader understands files of type ${type}.`);
  checkSize(known, input);
  const reader = await readers[known.reader]();
  return reader.read(input);
}

/** Throws `too_large` with the number when a file is larger than its format may be. */
export function checkSize(
  { type, maxBytes }: FileType,
  { bytes, fileName }: Pick<ReaderInput, 'bytes' | 'fileName'>,
): void {
  if (bytes.byteLength <= maxBytes) return;
  throw new ServiceError(
    'too_large',
    `${fileName} has ${bytes.byteLength} bytes; a file of type ${type} may have ${maxBytes}. Split it first.`,
  );
}
