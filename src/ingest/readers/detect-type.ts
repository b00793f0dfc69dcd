import { ServiceError } from '../../errors.ts';
import { isCompoundFile } from './containers/compound-file.ts';
import { isTar } from './containers/tar-header.ts';
import { decodeText } from './encoding/decode-text.ts';
import { sniffText } from './encoding/sniff-text.ts';
import {
  extensionOf,
  type FileType,
  readableTypeList,
  typeByExtension,
  typeByMediaType,
  typeByName,
} from './file-types.ts';
import { declaredCharset } from './html/html-charset.ts';
import { openSigned } from './mail/cms.ts';
import { foreignZip, officeTypeOfZip, typeOfCompoundFile } from './office/office-type.ts';

export interface NamedBytes {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** As given by the sender; used only when content and name are ambiguous. */
  readonly mediaType?: string;
}

/** Signatures that consist of printable characters; all others are meaningless in a text file. */
const PRINTABLE_SIGNATURES = new Set(['pdf', 'rtf', 'ps', 'eps', 'pgp', 'asar']);
/** Text formats that are classified further. */
const TEXT_SIGNATURES = new Set(['xml', 'sh', 'js', 'py', 'jsonl', 'eml', 'ics', 'vcf', 'svg']);
const SNIFFED_BYTES = 65_536;
/** Bytes of a file's beginning that suffice to detect a text: one more than are looked at shows that more follow. */
export const HEAD_BYTES = SNIFFED_BYTES + 1;

/**
 * Detects the format of the bytes. Content decides; the file's name, then the media type, only choose among formats
 * that fit the content. Throws `unsupported_type`, naming what is readable.
 */
export async function detectType({ bytes, fileName, mediaType = '' }: NamedBytes): Promise<FileType> {
  const extension = extensionOf(fileName);
  const named = typeByExtension(extension) ?? typeByMediaType(mediaType);
  if (bytes.length === 0) return named ?? plainText();
  if (isTar(bytes)) return known('tar');
  if (startsWithPdf(bytes)) return known('pdf');
  if (startsWithRtf(bytes)) return known('rtf');

  const head = bytes.subarray(0, SNIFFED_BYTES);
  const decoded = decodeText(head, { declared: declaredCharset(head) });
  const { fileTypeFromBuffer } = await import('file-type');
  const signature = (await fileTypeFromBuffer(bytes).catch(() => undefined))?.ext;
  const isText = decoded !== undefined && !isZip(bytes);
  if (!isText) return detectBinary({ bytes, fileName, signature });
  if (signature !== undefined && PRINTABLE_SIGNATURES.has(signature)) throw unsupported(fileName, signature);
  if (signature !== undefined && !TEXT_SIGNATURES.has(signature) && !isPlausibleText(decoded.text)) {
    throw unsupported(fileName, signature);
  }
  // Old manuals are texts named `.doc`, and many programs export tables as text or HTML named `.xls`.
  const isOldOffice = named?.sharedSignature === 'compound';
  const hints = { named: isOldOffice ? undefined : named?.type, isWhole: bytes.length <= SNIFFED_BYTES };
  return known(sniffText(decoded.text, hints));
}

function detectBinary(file: { bytes: Uint8Array; fileName: string; signature: string | undefined }): FileType {
  const { bytes, fileName, signature } = file;
  const named = typeByExtension(extensionOf(fileName));
  if (isZip(bytes)) {
    const type = officeTypeOfZip(bytes) ?? (signature === 'docx' ? signature : undefined);
    if (type !== undefined) return known(type);
    if (named?.sharedSignature === 'zip') {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is not a file of type ${named.type}: the archive is damaged, was cut off or holds no document part.`,
      );
    }
  }
  const foreign = isZip(bytes) ? foreignZip(bytes) : undefined;
  if (foreign !== undefined) throw new ServiceError('unsupported_type', `${fileName} is ${foreign}`);
  if (isZip(bytes) && (signature === 'zip' || signature === undefined)) return known('zip');
  const bySignature = typeBySignature(signature);
  if (bySignature !== undefined) return bySignature;
  if (named?.type === 'p7s' || openSigned(bytes).kind !== 'unknown') return known('p7s');
  if (isCompoundFile(bytes)) {
    const type = typeOfCompoundFile(bytes);
    if (type === 'encrypted') {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is encrypted and needs a password. Save it without one first.`,
      );
    }
    const found =
      typeByName(type ?? '') ?? (type === undefined && named?.sharedSignature === 'compound' ? named : undefined);
    if (found !== undefined) return found;
  }
  // Many recordings begin with tags of arbitrary length, or with a frame that is hard to distinguish from noise.
  if (signature === undefined && named?.isRecording) return named;
  throw unsupported(fileName, signature);
}

/** Names for archives and pictures in the `file-type` package that differ from our extensions. */
const SIGNATURE_NAMES: Readonly<Record<string, string>> = {
  'tar.gz': 'gz',
  'tar.bz2': 'bz2',
  'tar.xz': 'xz',
  apng: 'png',
};

/** Types, besides pictures and recordings, that a signature proves; zip and compound files need a closer look. */
const CONCLUSIVE = new Set(['gz', 'tar', 'epub', '7z', 'rar', 'cab', 'bz2', 'xz', 'zst']);

function typeBySignature(signature: string | undefined): FileType | undefined {
  const found = typeByExtension(SIGNATURE_NAMES[signature ?? ''] ?? signature ?? '');
  return found?.isImage || found?.isRecording || CONCLUSIVE.has(found?.type ?? '') ? found : undefined;
}

function unsupported(fileName: string, found: string | undefined): ServiceError {
  const what = found === undefined ? 'data of an unknown binary format' : `${nameOf(found)}, which cannot be read`;
  const kind = found ?? extensionOf(fileName);
  if (SOUNDS.has(kind)) {
    return new ServiceError(
      'unsupported_type',
      `${fileName} is a recording of type ${kind}, which cannot be read. Convert it to mp3, or send a transcript of it as text.`,
    );
  }
  if (OTHER_ARCHIVES.has(kind)) {
    return new ServiceError(
      'unsupported_type',
      `${fileName} is an archive of type ${kind}, which is not opened. Pack the files as zip or tar.gz first.`,
    );
  }
  const named = typeByExtension(extensionOf(fileName));
  // A name of another type may also be that of a text.
  if (found === undefined && named !== undefined && (named.sharedSignature !== undefined || named.type === 'pdf')) {
    return new ServiceError(
      'unsupported_type',
      `${fileName} is not a file of type ${named.type} but ${what}. It may be damaged or encrypted; get another copy of it.`,
    );
  }
  return new ServiceError(
    'unsupported_type',
    `${fileName} is ${what}. Supported types: ${readableTypeList()}. Convert the file to one of these first.`,
  );
}

const SOUNDS = new Set(['aac', 'aif', 'amr', 'mov', 'avi', 'mkv', 'ogv', 'wma', 'wmv', 'asf']);
const OTHER_ARCHIVES = new Set(['lz4', 'lz', 'Z', 'arj']);

/** The compound-file signature is shared by doc, xls, ppt and msg. */
const nameOf = (signature: string): string =>
  signature === 'cfb' ? 'of an old Microsoft Office type' : `of type ${signature}`;

/** Acrobat accepts a PDF whose first line is within the first kilobyte, and some producers rely on it. */
function startsWithPdf(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString('latin1');
  const at = head.indexOf('%PDF-');
  return at === 0 || (at > 0 && /^%PDF-\d\.\d[\r\n]/.test(head.slice(at)));
}

/** Some programs write a shorter header than `{\\rtf1`, so four characters suffice. */
const startsWithRtf = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 5)).toString('latin1') === '{\\rtf';

const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5) && (bytes[3] === 4 || bytes[3] === 6);

/** Whether the format depends on a directory, which may be anywhere in the file. */
export const hasDirectory = (head: Uint8Array): boolean => isZip(head) || isCompoundFile(head);

/** Words and spaces: a text that begins with letters such as `BM` is not an image. */
const isPlausibleText = (text: string): boolean => /\p{L}{2,}\P{L}+\p{L}/u.test(text.slice(0, 400));

const plainText = (): FileType => known('txt');

function known(type: string): FileType {
  const found = typeByName(type);
  if (found === undefined) throw new ServiceError('internal', `The format "${type}" is not in the table of formats.`);
  return found;
}
