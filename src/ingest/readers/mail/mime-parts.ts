import { ServiceError } from '../../../errors.ts';
import { decodeWords, type MimeHeaders, quotedBytes, readField, readHeaders } from './mime-headers.ts';

/** A mail, or a part of one, possibly with nested parts. */
export interface MimePart {
  readonly headers: MimeHeaders;
  /** `text/plain` and the like, in lower case. */
  readonly type: string;
  readonly charset: string | undefined;
  readonly fileName: string | undefined;
  readonly isAttachment: boolean;
  readonly parts: readonly MimePart[];
  /** A parameter of the content type, such as `smime-type`. */
  parameter(name: string): string | undefined;
  /** The content after decoding its transfer encoding. */
  bytes(): Buffer;
}

/** Real mails have fewer than ten levels. */
const MAX_NESTING = 30;
const MAX_PARTS = 2_000;

/** Parses a mail given as Latin-1 text, one character per byte. Throws `too_large`. */
export function readMimeParts(source: string, fileName: string): MimePart {
  let partsLeft = MAX_PARTS;
  const read = (text: string, depth: number, inDigest: boolean): MimePart => {
    partsLeft -= 1;
    if (partsLeft < 0)
      throw new ServiceError(
        'too_large',
        `${fileName} has more than ${MAX_PARTS} MIME parts, which is over the limit.`,
      );
    const { headers, bodyStart } = readHeaders(text);
    const content = readField(headers.get('content-type'));
    const disposition = readField(headers.get('content-disposition'));
    const defaultType = inDigest ? 'message/rfc822' : 'text/plain';
    const type = /^[\w.+-]+\/[\w.+-]+$/.test(content.value) ? content.value : defaultType;
    const boundary = content.parameters.get('boundary');
    const body = text.slice(bodyStart);
    const pieces =
      type.startsWith('multipart/') && boundary !== undefined && depth < MAX_NESTING
        ? splitAt(body, boundary, partsLeft)
        : [];
    const fileNameOfPart = disposition.parameters.get('filename') ?? content.parameters.get('name');
    return {
      headers,
      type,
      charset: content.parameters.get('charset'),
      fileName: fileNameOfPart === undefined || fileNameOfPart === '' ? undefined : fileNameOfPart,
      isAttachment: disposition.value === 'attachment',
      parts: pieces.map((piece) => read(piece, depth + 1, type === 'multipart/digest')),
      parameter: (name) => content.parameters.get(name),
      bytes: () => decodeTransfer(body, headers.get('content-transfer-encoding')),
    };
  };
  // Mailboxes and some programs put a "From " line first.
  return read(source.replace(/^(?:\s*\n)?(?:>?From [^\n]*\n)?/, ''), 0, false);
}

/** The parts between boundary lines; a last part without a closing boundary counts too. */
function splitAt(body: string, boundary: string, max: number): string[] {
  const mark = `--${boundary}`;
  const pieces: string[] = [];
  let start = -1;
  const isLineStart = (at: number) => at === 0 || body[at - 1] === '\n';
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    if (!isLineStart(at)) continue;
    const newline = body.indexOf('\n', at);
    const rest = body.slice(at + mark.length, newline === -1 ? undefined : newline).trimEnd();
    // A longer boundary with this one as its prefix belongs to another multipart.
    if (rest !== '' && rest !== '--') continue;
    if (start !== -1) pieces.push(body.slice(start, at).replace(/\r?\n$/, ''));
    start = newline === -1 ? body.length : newline + 1;
    if (rest === '--') return pieces;
    if (pieces.length > max) break;
  }
  if (start !== -1 && start < body.length) pieces.push(body.slice(start));
  return pieces;
}

function decodeTransfer(body: string, encoding: string | undefined): Buffer {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64');
    case 'quoted-printable':
      return quotedBytes(body);
    default:
      return Buffer.from(body, 'latin1');
  }
}

/** A decoded header; undefined when it is missing or empty. */
export function headerOf(headers: MimeHeaders, name: string): string | undefined {
  const value = decodeWords(headers.get(name) ?? '');
  return value === '' ? undefined : value.slice(0, 2_000);
}
