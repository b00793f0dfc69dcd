import type { Metadata } from '../../documents/document.ts';
import { createAllowance } from './allowance.ts';
import { composeDocuments } from './compose-documents.ts';
import { decodeText } from './decode-text.ts';
import { declaredCharset } from './html-charset.ts';
import { addInnerFiles, filesMetadata, type InnerFile } from './inner-files.ts';
import type { Block, ReadDocument, ReaderInput } from './reader.ts';
import { paragraphsOf } from './text.ts';
import { readWholeHtml } from './whole-html.ts';

/** A mail of whatever format, taken apart. */
export interface Mail {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cc?: string | undefined;
  /** As it stands in the mail. */
  readonly date?: string | undefined;
  readonly id?: string | undefined;
  readonly inReplyTo?: string | undefined;
  /** What it says, part by part. */
  readonly bodies: readonly MailBody[];
  readonly attachments: readonly InnerFile[];
  /** What is known to be in it and cannot be had, with the reason. */
  readonly sealed?: readonly { readonly name: string; readonly reason: string }[];
}

export interface MailBody {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A mail as a document: who wrote it to whom and when, what it says, and each attachment as a section of its own. */
export async function readMail(mail: Mail, input: ReaderInput): Promise<ReadDocument> {
  const { fileName } = input;
  const composition = composeDocuments(fileName);
  composition.add('paragraph', headerLines(mail));
  for (const body of mail.bodies) composition.append(body, 0);
  const allowance = input.allowance ?? createAllowance(fileName);
  const files = await addInnerFiles(mail.attachments, { composition, input, allowance, level: 1 });
  const inner = { read: files.read, unread: [...(mail.sealed ?? []), ...files.unread] };
  return {
    ...composition.finish(),
    pages: [],
    ...(mail.subject !== undefined && { title: mail.subject }),
    metadata: { ...mailMetadata(mail), ...filesMetadata(inner) },
  };
}

const headerLines = ({ subject, from, to, cc, date }: Mail): string =>
  Object.entries({ From: from, To: to, Cc: cc, Date: date, Subject: subject })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    .join('\n');

function mailMetadata({ from, to, cc, date, id, inReplyTo }: Mail): Metadata {
  const time = date === undefined ? Number.NaN : Date.parse(date.replace(/\s*\([^)]*\)\s*$/, ''));
  const fields = {
    from,
    to,
    cc,
    date: Number.isNaN(time) ? date : new Date(time).toISOString(),
    message_id: id,
    in_reply_to: inReplyTo,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** The plain form of a mail's text; lines that were only broken for the way are joined when it says so (RFC 3676). */
export function plainBody(bytes: Buffer, charset: string | undefined, isFlowed = false): MailBody {
  const decoded = decodeText(bytes, { declared: charset })?.text ?? '';
  const text = isFlowed ? decoded.replaceAll(/(?<!^--) \n(?!>)/gm, ' ') : decoded;
  return { text, blocks: paragraphsOf(text) };
}

export function htmlBody(bytes: Buffer, charset: string | undefined): MailBody {
  return readWholeHtml(decodeText(bytes, { declared: charset ?? declaredCharset(bytes) })?.text ?? '');
}

/** Of two forms of the same, the plain one, unless that only says that there is another. */
export function betterBody(plain: MailBody | undefined, html: MailBody | undefined): MailBody | undefined {
  if (plain === undefined || html === undefined) return plain ?? html;
  return plain.text.trim().length * 4 < html.text.length ? html : plain;
}
