import { createHash } from 'node:crypto';
import { ServiceError } from '../../../errors.ts';
import type { InnerFile } from '../containers/inner-files.ts';
import type { ReadDocument, Reader, ReaderInput } from '../reader.ts';
import { openSigned } from './cms.ts';
import { betterBody, htmlBody, type Mail, type MailBody, plainBody, readMail } from './mail.ts';
import { headerOf, type MimePart, readMimeParts } from './mime-parts.ts';

/** Mails in MIME format: text, HTML, attachments, nested mails, meeting invitations, signed mails. */
export const emlReader: Reader = {
  read: (input) => {
    const { bytes } = input;
    return readMimeMail(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), input);
  },
};

/** Reads a mail given as Latin-1 text. Throws `invalid_request` when it is empty. */
export async function readMimeMail(source: string, input: ReaderInput): Promise<ReadDocument> {
  const { fileName } = input;
  const root = readMimeParts(source, fileName);
  const found: Found = { bodies: [], attachments: [], unreadable: [], fileName };
  visit(root, found);
  if (root.headers.size === 0 && found.bodies.every(({ text }) => text.trim() === '')) {
    throw new ServiceError('invalid_request', `${fileName} is not an email message: it has neither headers nor text.`);
  }
  const header = (name: string) => headerOf(root.headers, name);
  const mail: Mail = {
    subject: header('subject'),
    from: header('from') ?? header('sender'),
    to: header('to'),
    cc: header('cc'),
    date: header('date'),
    id: header('message-id'),
    inReplyTo: header('in-reply-to'),
    bodies: found.bodies,
    attachments: withoutDuplicates(found.attachments),
    unreadable: found.unreadable,
  };
  const read = await readMail(mail, input);
  const [unreadable] = found.unreadable;
  // A fully encrypted mail is rejected: its headers alone are not worth storing.
  if (unreadable !== undefined && found.bodies.length === 0 && found.attachments.length === 0)
    throw new ServiceError('invalid_request', `${fileName}: ${unreadable.reason}`);
  return read;
}

interface Found {
  readonly bodies: MailBody[];
  readonly attachments: InnerFile[];
  readonly unreadable: { name: string; reason: string }[];
  readonly fileName: string;
}

const ENCRYPTED = 'It is encrypted. Decrypt it in the mail program and save it again.';
const SIGNATURES = new Set([
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
  'application/pgp-signature',
]);
const SIGNED = new Set(['application/pkcs7-mime', 'application/x-pkcs7-mime']);

function visit(part: MimePart, found: Found): void {
  const { type, parts, fileName } = part;
  if (SIGNATURES.has(type)) return;
  if (type === 'multipart/encrypted') found.unreadable.push({ name: 'message', reason: ENCRYPTED });
  else if (type === 'multipart/alternative' || areForms(parts)) visitAlternatives(parts, found);
  else if (parts.length > 0) for (const inner of parts) visit(inner, found);
  else if (type.startsWith('multipart/')) found.bodies.push(plainBody(part.bytes(), part.charset));
  else if (SIGNED.has(type)) visitSigned(part, found);
  else if (!part.isAttachment && fileName === undefined && type === 'text/html')
    found.bodies.push(htmlBody(part.bytes(), part.charset));
  else if (!part.isAttachment && fileName === undefined && isText(type)) found.bodies.push(bodyOf(part));
  // Excludes inline images such as logos.
  else if (!(part.headers.has('content-id') && type.startsWith('image/') && !part.isAttachment))
    found.attachments.push(toFile(part));
}

/** Some programs label two alternative forms of one text as a mixed multipart. */
function areForms(parts: readonly MimePart[]): boolean {
  const texts = parts.filter(
    ({ type, isAttachment, fileName }) =>
      /^text\/(?:plain|html)$/.test(type) && !isAttachment && fileName === undefined,
  );
  const [plain, html] = texts;
  if (texts.length !== 2 || plain?.type !== 'text/plain' || html?.type !== 'text/html') return false;
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const htmlWords = new Set(words(htmlBody(html.bytes(), html.charset).text));
  const own = words(bodyOf(plain).text);
  return own.length > 0 && own.filter((word) => htmlWords.has(word)).length >= own.length * 0.9;
}

/** Calendars, patches and the like are attachments even when they are shown inline. */
const isText = (type: string): boolean =>
  type === 'text/plain' || type === 'message/delivery-status' || type === 'text/enriched';

const bodyOf = (part: MimePart): MailBody =>
  plainBody(part.bytes(), part.charset, part.parameter('format')?.toLowerCase() === 'flowed');

/** Visits one of several alternative forms of the text, and other content such as a meeting invitation. */
function visitAlternatives(parts: readonly MimePart[], found: Found): void {
  const forms = parts.map((part) => {
    const own: Found = { bodies: [], attachments: [], unreadable: found.unreadable, fileName: found.fileName };
    visit(part, own);
    return { part, own };
  });
  const bodyIn = (matches: (type: string) => boolean): MailBody | undefined => {
    const bodies = forms.find(({ part, own }) => matches(part.type) && own.bodies.length > 0)?.own.bodies;
    return bodies?.length === 1 ? bodies[0] : bodies && joinBodies(bodies);
  };
  const best = betterBody(
    bodyIn((type) => type === 'text/plain'),
    bodyIn((type) => type !== 'text/plain'),
  );
  if (best !== undefined) found.bodies.push(best);
  found.attachments.push(...forms.flatMap(({ own }) => own.attachments));
}

function joinBodies(bodies: readonly MailBody[]): MailBody {
  let text = '';
  const blocks = bodies.flatMap((body) => {
    const shift = text === '' ? 0 : text.length + 2;
    text = text === '' ? body.text : `${text}\n\n${body.text}`;
    return body.blocks.map((block) => ({ ...block, start: block.start + shift, end: block.end + shift }));
  });
  return { text, blocks };
}

function visitSigned(part: MimePart, found: Found): void {
  const opened = openSigned(part.bytes());
  if (opened.kind === 'signed')
    visit(readMimeParts(Buffer.from(opened.content).toString('latin1'), found.fileName), found);
  else if (opened.kind === 'encrypted')
    found.unreadable.push({ name: part.fileName ?? 'smime.p7m', reason: ENCRYPTED });
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'message/rfc822': 'eml',
  'text/calendar': 'ics',
  'application/ics': 'ics',
  'text/html': 'html',
  'text/csv': 'csv',
  'text/plain': 'txt',
};

function toFile(part: MimePart): InnerFile {
  const { type } = part;
  const extension = EXTENSIONS[type];
  const own = part.fileName ?? (type === 'message/rfc822' ? subjectWithin(part) : undefined) ?? 'attachment';
  const name = extension === undefined || /\.[a-z0-9]{1,5}$/i.test(own) ? own : `${own}.${extension}`;
  return {
    name,
    mediaType: type,
    bytes: (maxBytes) => {
      const bytes = part.bytes();
      return bytes.length <= maxBytes ? bytes : undefined;
    },
  };
}

/** The subject of a nested mail, used as its name. */
function subjectWithin(part: MimePart): string | undefined {
  const head = part.bytes().subarray(0, 20_000).toString('latin1');
  return headerOf(readMimeParts(head, '').headers, 'subject')?.replaceAll('/', '-');
}

/** Meeting invitations occur both as an alternative form and as an attachment. */
function withoutDuplicates(files: readonly InnerFile[]): InnerFile[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    if (!/\.ics$/i.test(file.name)) return true;
    const key = createHash('sha256')
      .update(file.bytes(Number.MAX_SAFE_INTEGER) ?? '')
      .digest('hex');
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
