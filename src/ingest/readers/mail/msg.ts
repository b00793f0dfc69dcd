import iconv from 'iconv-lite';
import { ServiceError } from '../../../errors.ts';
import { type CompoundFile, openCompoundFile } from '../containers/compound-file.ts';
import type { InnerFile } from '../containers/inner-files.ts';
import { createNestingBudget, MAX_DEPTH } from '../containers/nesting-budget.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { paragraphsOf } from '../plain/text.ts';
import type { Reader, ReaderInput } from '../reader.ts';
import { rtfReader } from '../rtf/rtf.ts';
import { betterBody, htmlBody, type Mail, type MailBody, readMail } from './mail.ts';
import { readHeaders } from './mime-headers.ts';
import { headerOf } from './mime-parts.ts';
import { unpackRtf } from './msg-rtf.ts';

/** Outlook messages: text, HTML or RTF, attachments, and nested mails. */
export const msgReader: Reader = {
  async read(input) {
    const { bytes, fileName } = input;
    const file = openCompoundFile(bytes, fileName);
    if (!file.names.some((name) => /__substg1\.0_/i.test(name)))
      throw new ServiceError('invalid_request', `${fileName} is damaged: it has no parts of a mail.`);
    const mail = await readStorage({ file, folder: '', depth: input.budget?.depth ?? 0 }, input);
    return readMail(mail, { ...input, budget: input.budget ?? createNestingBudget(fileName) });
  },
};

/** The properties of a mail, or of a nested one, are streams below one folder. */
interface Storage {
  readonly file: CompoundFile;
  readonly folder: string;
  readonly depth: number;
  /** For an attachment, those of the mail it belongs to. */
  readonly codePages?: CodePages;
}

/** Declared encodings of the 8-bit strings and of the HTML, as named by iconv. */
interface CodePages {
  readonly text: string | undefined;
  readonly html: string | undefined;
}

const SUBJECT = '0037';
const BODY = '1000';
const HTML = '1013';
const RTF = '1009';
const HEADERS = '007D';
const DISPLAY_TO = '0E04';
const DISPLAY_CC = '0E03';
const SENDER_NAME = '0C1A';
const SENDER_ADDRESS = '0C1F';
const SENDER_SMTP = '5D01';
const MESSAGE_ID = '1035';
const ATTACHED_DATA = '3701';
const LONG_NAME = '3707';
const SHORT_NAME = '3704';
const SHOWN_NAME = '3001';
const MEDIA_TYPE = '370E';
const CONTENT_ID = '3712';

async function readStorage(storage: Storage, input: ReaderInput): Promise<Mail> {
  const { headers } = readHeaders(textOf(storage, HEADERS) ?? '');
  const header = (name: string) => headerOf(headers, name);
  const sender = textOf(storage, SENDER_NAME);
  const address = textOf(storage, SENDER_SMTP) ?? textOf(storage, SENDER_ADDRESS);
  // Within an organisation the address is a directory path, which is of no use to readers.
  const shown = address?.includes('@') === true && address !== sender ? ` <${address}>` : '';
  const body = await bodyOf(storage, input);
  const attachments = attachmentsOf(storage, input);
  return {
    subject: textOf(storage, SUBJECT),
    from: sender === undefined ? header('from') : `${sender}${shown}`,
    to: textOf(storage, DISPLAY_TO) ?? header('to'),
    cc: textOf(storage, DISPLAY_CC) ?? header('cc'),
    date: header('date') ?? sentAt(storage),
    id: textOf(storage, MESSAGE_ID) ?? header('message-id'),
    inReplyTo: header('in-reply-to'),
    bodies: body === undefined ? [] : [body],
    attachments,
  };
}

async function bodyOf(storage: Storage, input: ReaderInput): Promise<MailBody | undefined> {
  const text = textOf(storage, BODY);
  const plain = text === undefined ? undefined : { text, blocks: paragraphsOf(text) };
  const html = bytesOf(storage, `${HTML}0102`) ?? bytesOf(storage, `${HTML}001F`);
  const better = betterBody(plain, html && htmlBody(html, codePagesOf(storage).html));
  if (better !== undefined) return better;
  const packed = bytesOf(storage, `${RTF}0102`);
  const rich = packed && unpackRtf(packed);
  if (rich === undefined) return undefined;
  return rtfReader.read({ ...input, bytes: rich }).catch(() => undefined);
}

/** A string property, in UTF-16 or in the sender's code page. */
function textOf(storage: Storage, property: string): string | undefined {
  const kept = cleanText(decodedText(storage, property) ?? '').trim();
  return kept === '' ? undefined : kept;
}

function decodedText(storage: Storage, property: string): string | undefined {
  const wide = bytesOf(storage, `${property}001F`);
  if (wide !== undefined) return isPlainAscii(wide) ? wide.toString('latin1') : iconv.decode(wide, 'utf-16le');
  const narrow = bytesOf(storage, `${property}001E`);
  return narrow && decodeNarrow(narrow, codePagesOf(storage).text);
}

/** Some programs end strings with a NUL. */
function decodeNarrow(bytes: Buffer, declared: string | undefined): string {
  const end = bytes.indexOf(0);
  const text = end === -1 ? bytes : bytes.subarray(0, end);
  return decodeText(text, { declared })?.text ?? text.toString('latin1');
}

/** Some programs write 8-bit text in UTF-16 properties; real UTF-16 soon has NULs or non-ASCII bytes. */
const isPlainAscii = (bytes: Buffer): boolean =>
  bytes.length >= 12 && bytes.every((byte) => byte >= 0x20 && byte < 0x7f);

const bytesOf = ({ file, folder }: Storage, name: string): Buffer | undefined =>
  file.stream(`${folder}__substg1.0_${name}`);

/** Times are in units of 100 ns since 1601 (FILETIME). */
function sentAt(storage: Storage): string | undefined {
  for (const [tag, value] of fixedProperties(storage)) {
    if (tag !== CLIENT_SUBMIT_TIME && tag !== DELIVERY_TIME) continue;
    const milliseconds = Number(value.readBigUInt64LE() / 10_000n) - 11_644_473_600_000;
    if (Math.abs(milliseconds) < 8.64e15) return new Date(milliseconds).toISOString();
  }
  return undefined;
}

/** HTML usually has the internet code page, 8-bit strings that of the sender's machine. */
function codePagesOf(storage: Storage): CodePages {
  if (storage.codePages !== undefined) return storage.codePages;
  const values = new Map(fixedProperties(storage));
  const named = (tag: number) => {
    const number = values.get(tag)?.readUInt32LE();
    const name = number === undefined ? undefined : `cp${number}`;
    return name !== undefined && iconv.encodingExists(name) ? name : undefined;
  };
  const [text, html] = [named(MESSAGE_CODE_PAGE), named(INTERNET_CODE_PAGE)];
  return { text: text ?? html, html: html ?? text };
}

/** The fixed-size properties: their tags and eight bytes of value. */
function* fixedProperties({ file, folder }: Storage): Generator<[tag: number, value: Buffer]> {
  const list = file.stream(`${folder}__properties_version1.0`);
  if (list === undefined) return;
  for (let at = folder === '' ? 32 : 24; at + 16 <= list.length; at += 16) {
    yield [list.readUInt32LE(at), list.subarray(at + 8, at + 16)];
  }
}

const CLIENT_SUBMIT_TIME = 0x00390040;
const DELIVERY_TIME = 0x0e060040;
const MESSAGE_CODE_PAGE = 0x3ffd0003;
const INTERNET_CODE_PAGE = 0x3fde0003;

function attachmentsOf(parent: Storage, input: ReaderInput): InnerFile[] {
  const { file, folder, depth } = parent;
  const codePages = codePagesOf(parent);
  const folders = new Set(
    file.names.flatMap((name) => {
      if (!name.startsWith(folder)) return [];
      return /^__attach_version1\.0_#[0-9A-F]{8}\//i.exec(name.slice(folder.length))?.[0] ?? [];
    }),
  );
  return [...folders].sort().flatMap((one): InnerFile[] => {
    const storage = { file, folder: folder + one, depth, codePages };
    const own = textOf(storage, LONG_NAME) ?? textOf(storage, SHORT_NAME) ?? textOf(storage, SHOWN_NAME);
    const mediaType = textOf(storage, MEDIA_TYPE);
    const within = { file, folder: `${folder}${one}__substg1.0_${ATTACHED_DATA}000D/`, depth: depth + 1 };
    if (file.names.some((name) => name.startsWith(within.folder)))
      return [{ name: `${own ?? textOf(within, SUBJECT) ?? 'message'}.eml`, bytes: () => asMime(within, input) }];
    // Inline images, such as logos.
    if (textOf(storage, CONTENT_ID) !== undefined && mediaType?.startsWith('image/') === true) return [];
    const bytes = bytesOf(storage, `${ATTACHED_DATA}0102`);
    if (bytes === undefined) return [];
    return [
      {
        name: own ?? 'attachment',
        ...(mediaType !== undefined && { mediaType }),
        bytes: (maxBytes) => (bytes.length <= maxBytes ? bytes : undefined),
      },
    ];
  });
}

/** Converts a nested mail to MIME, so that one reader handles all mails. */
function asMime(storage: Storage, input: ReaderInput): Uint8Array {
  if (storage.depth > MAX_DEPTH)
    throw new ServiceError('invalid_request', `It is nested more than ${MAX_DEPTH} mails deep.`);
  const encoded = (text: string) => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`;
  const fields = { Subject: SUBJECT, To: DISPLAY_TO, Cc: DISPLAY_CC, From: SENDER_NAME };
  const lines = Object.entries(fields).flatMap(([name, property]) => {
    const value = textOf(storage, property);
    return value === undefined ? [] : [`${name}: ${encoded(value)}`];
  });
  const date = sentAt(storage);
  if (date !== undefined) lines.push(`Date: ${new Date(date).toUTCString()}`);
  const boundary = 'part-of-a-saved-message';
  const part = (type: string, name: string | undefined, bytes: Uint8Array) =>
    [
      `--${boundary}`,
      `Content-Type: ${type}`,
      ...(name === undefined ? [] : [`Content-Disposition: attachment; filename="${encoded(name)}"`]),
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(bytes).toString('base64'),
    ].join('\r\n');
  const text = textOf(storage, BODY);
  const html = bytesOf(storage, `${HTML}0102`);
  const parts: string[] = [];
  if (text !== undefined) parts.push(part('text/plain; charset=utf-8', undefined, Buffer.from(text)));
  else if (html !== undefined) parts.push(part(htmlType(storage), undefined, html));
  parts.push(
    ...attachmentsOf(storage, input).flatMap(({ name, mediaType = 'application/octet-stream', bytes }) => {
      const content = bytes(input.budget?.bytesLeft ?? MAX_ATTACHED);
      return content === undefined ? [] : [part(mediaType, name, content)];
    }),
  );
  lines.push(`Content-Type: multipart/mixed; boundary="${boundary}"`, '', ...parts, `--${boundary}--`);
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

const htmlType = (storage: Storage): string => {
  const charset = codePagesOf(storage).html;
  return charset === undefined ? 'text/html' : `text/html; charset=${charset}`;
};

const MAX_ATTACHED = 50_000_000;
