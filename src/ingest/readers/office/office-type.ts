import { isCompoundFile, openCompoundFile } from '../containers/compound-file.ts';
import { readZipEntries, unpackEntry, type ZipEntry } from '../containers/zip-entries.ts';

/** The Office, OpenDocument or e-book format of a zip archive, detected by its parts; undefined for other archives. */
export function officeTypeOfZip(bytes: Uint8Array): string | undefined {
  const entries = readZipEntries(bytes);
  return entries && officeTypeOfEntries(entries, bytes);
}

/** The same by the entries of its directory; of the archive's bytes only a part `mimetype` is read. */
export function officeTypeOfEntries(entries: readonly ZipEntry[], bytes: Uint8Array): string | undefined {
  const names = entries.map(({ name }) => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase());
  if (names.includes('[content_types].xml')) {
    if (names.some((name) => /^word\/document\d*\.xml$/.test(name))) return 'docx';
    if (names.some((name) => /^ppt\/presentation\d*\.xml$/.test(name))) return 'pptx';
    if (names.some((name) => /^xl\/workbook\d*\.xml$/.test(name))) return 'xlsx';
  }
  const mimetype = entries.find(({ name }) => name === 'mimetype');
  if (isBook(names)) return 'epub';
  if (mimetype === undefined || !names.includes('content.xml')) return undefined;
  try {
    return openDocumentType(unpackEntry(bytes, mimetype, 200)?.toString('latin1') ?? '');
  } catch {
    // Damaged: the file name decides.
    return undefined;
  }
}

/** Also when the book is in a folder, as some programs and people pack it. */
function isBook(names: readonly string[]): boolean {
  const container = names.find((name) => /^(?:[^/]+\/)?meta-inf\/container\.xml$/.test(name));
  if (container === undefined || !names.some((name) => name.endsWith('.opf'))) return false;
  const folder = container.slice(0, -'meta-inf/container.xml'.length);
  return names.every((name) => name.startsWith(folder));
}

/** Formats in zip archives whose parts would be meaningless as files, by a part that identifies them. */
const FOREIGN: readonly (readonly [part: RegExp, message: string])[] = [
  [/^xl\/workbook\.bin$/, 'a binary Excel workbook (xlsb), which cannot be read. Save it as xlsx first.'],
  [/\.fdseq$/, 'an XPS document, which cannot be read. Print it to a PDF first.'],
  [
    /^index\/document\.iwa$|^index\.(?:xml|apxl)(?:\.gz)?$|^index\.zip$/,
    'an Apple iWork document, which cannot be read. Export it as PDF or as an Office file first.',
  ],
];

/** What an archive is whose format cannot be read, for messages; undefined for other archives. */
export function foreignZip(bytes: Uint8Array): string | undefined {
  const names = readZipEntries(bytes)?.map(({ name }) => name.replaceAll('\\', '/').toLowerCase()) ?? [];
  const isWork = names.some((name) =>
    /^(?:buildversionhistory\.plist|metadata\/buildversionhistory\.plist|preview\.jpg|quicklook\/)/.test(name),
  );
  return FOREIGN.find(([part], index) => (index < 2 || isWork) && names.some((name) => part.test(name)))?.[1];
}

const openDocumentType = (mediaType: string): string | undefined => {
  if (mediaType.startsWith('application/vnd.oasis.opendocument.text')) return 'odt';
  if (mediaType.startsWith('application/vnd.oasis.opendocument.spreadsheet')) return 'ods';
  return mediaType.startsWith('application/vnd.oasis.opendocument.presentation') ? 'odp' : undefined;
};

/** The stream that identifies a format among those of the same container. */
const MAIN_STREAMS: readonly (readonly [stream: string, type: string])[] = [
  ['worddocument', 'doc'],
  ['workbook', 'xls'],
  ['book', 'xls'],
  ['powerpoint document', 'ppt'],
  ['__properties_version1.0', 'msg'],
  // Office writes this stream for password-protected docx, xlsx and pptx files.
  ['encryptedpackage', 'encrypted'],
];

/** The format of a compound file: `doc`, `xls`, `ppt`, `msg` or `encrypted`; undefined for others. */
export function typeOfCompoundFile(bytes: Uint8Array): string | undefined {
  if (!isCompoundFile(bytes)) return undefined;
  try {
    const names = new Set(openCompoundFile(bytes, '').names.map((name) => name.toLowerCase()));
    const found = MAIN_STREAMS.find(([stream]) => names.has(stream))?.[1];
    return found ?? ([...names].some((name) => name.startsWith('__substg1.0_')) ? 'msg' : undefined);
  } catch {
    // Damaged: the file name decides.
    return undefined;
  }
}
