import { ServiceError } from '../../errors.ts';
import { type FileType, typeByName } from './file-types.ts';
import type { ReadDocument, Reader, ReaderInput } from './reader.ts';

/** Loaded on first use: a PDF parser is not needed for ingesting notes. */
const readers: Readonly<Record<FileType['reader'], () => Promise<Reader>>> = {
  text: async () => (await import('./plain/text.ts')).textReader,
  markdown: async () => (await import('./markdown/markdown.ts')).markdownReader,
  html: async () => (await import('./html/html.ts')).htmlReader,
  pdf: async () => (await import('./pdf/pdf.ts')).pdfReader,
  docx: async () => (await import('./office/docx.ts')).docxReader,
  pptx: async () => (await import('./office/pptx.ts')).pptxReader,
  xlsx: async () => (await import('./office/xlsx.ts')).xlsxReader,
  openDocumentText: async () => (await import('./open-document/odt.ts')).odtReader,
  openDocumentSlides: async () => (await import('./open-document/odp.ts')).odpReader,
  openDocumentSheets: async () => (await import('./open-document/ods.ts')).odsReader,
  rtf: async () => (await import('./rtf/rtf.ts')).rtfReader,
  doc: async () => (await import('./legacy-office/doc.ts')).docReader,
  xls: async () => (await import('./legacy-office/xls.ts')).xlsReader,
  ppt: async () => (await import('./legacy-office/ppt.ts')).pptReader,
  csv: async () => (await import('./plain/csv.ts')).csvReader,
  json: async () => (await import('./plain/json.ts')).jsonReader,
  notebook: async () => (await import('./notebook.ts')).notebookReader,
  subtitles: async () => (await import('./subtitles.ts')).subtitlesReader,
  code: async () => (await import('./code/code.ts')).codeReader,
  mail: async () => (await import('./mail/eml.ts')).emlReader,
  outlook: async () => (await import('./mail/msg.ts')).msgReader,
  signed: async () => (await import('./mail/p7s.ts')).p7sReader,
  calendar: async () => (await import('./plain/calendar.ts')).calendarReader,
  epub: async () => (await import('./ebook/epub.ts')).epubReader,
  rst: async () => (await import('./rst/rst.ts')).rstReader,
  org: async () => (await import('./plain/org.ts')).orgReader,
  svg: async () => (await import('./image/svg.ts')).svgReader,
  zip: async () => (await import('./containers/zip.ts')).zipReader,
  tar: async () => (await import('./containers/tar.ts')).tarReader,
  gzip: async () => (await import('./containers/gzip.ts')).gzipReader,
  image: async () => (await import('./image/image.ts')).imageReader,
};

/** Reads bytes of a known type. Throws `unsupported_type`, `too_large` and the reader's errors. */
export async function readDocument(type: string, input: ReaderInput): Promise<ReadDocument> {
  const known = typeByName(type);
  if (known === undefined) throw new ServiceError('unsupported_type', `No reader understands files of type ${type}.`);
  checkSize(known, input);
  const reader = await readers[known.reader]();
  return reader.read(input);
}

/** Throws `too_large` with the limit when a file is larger than its format allows. */
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
