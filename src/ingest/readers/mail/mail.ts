import type { Metadata } from '../../../documents/document.ts';
import { composeDocuments } from '../compose-documents.ts';
import { addInnerFiles, filesMetadata, type InnerFile } from '../containers/inner-files.ts';
import { createNestingBudget } from '../containers/nesting-budget.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { declaredCharset } from '../html/html-charset.ts';
import { readWholeHtml } from '../html/whole-html.ts';
import { paragraphsOf } from '../plain/text.ts';
import type { Block, ReadDocument, ReaderInput } from '../reader.ts';
import { mailDate } from './mail-date.ts';

/** A parsed mail of any format. */
export interface Mail {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cc?: string | undefined;
  /** As written in the mail. */
  readonly date?: string | undefined;
  readonly id?: string | undefined;
  readonly inReplyTo?: string | undefined;
  /** The text, part by part. */
  readonly bodies: readonly MailBody[];
  readonly attachments: readonly InnerFile[];
  /** Contents that cannot be read, each with the reason. */
  readonly unreadable?: readonly { readonly name: string; readonly reason: string }[];
}

export interface MailBody {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A mail as a document: sender, recipients and date, its text, and each attachment as a section. */
export async function readMail(mail: Mail, input: ReaderInput): Promise<ReadDocument> {
  const { fileName } = input;
  const composition = composeDocuments(fileName);
  composition.add('paragraph', headerLines(mail));
  for (const body of mail.bodies) composition.append(body, 0);
  const budget = input.budget ?? createNestingBudget(fileName);
  const files = await addInnerFiles(mail.attachments, { composition, input, budget, level: 1 });
  const inner = { read: files.read, unread: [...(mail.unreadable ?? []), ...files.unread] };
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
  const fields = {
    from,
    to,
    cc,
    date: mailDate(date) ?? date,
    message_id: id,
    in_reply_to: inReplyTo,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** The plain-text body; soft line breaks are joined when it is format=flowed (RFC 3676). */
export function plainBody(bytes: Buffer, charset: string | undefined, isFlowed = false): MailBody {
  const decoded = decodeText(bytes, { declared: charset })?.text ?? '';
  const text = isFlowed ? decoded.replaceAll(/(?<!^--) \n(?!>)/gm, ' ') : decoded;
  return { text, blocks: paragraphsOf(text) };
}

export function htmlBody(bytes: Buffer, charset: string | undefined): MailBody {
  return readWholeHtml(decodeText(bytes, { declared: charset ?? declaredCharset(bytes) })?.text ?? '');
}

/** Prefers the plain-text body, unless it is so short that it only refers to the HTML body. */
export function betterBody(plain: MailBody | undefined, html: MailBody | undefined): MailBody | undefined {
  if (plain === undefined || html === undefined) return plain ?? html;
  return plain.text.trim().length * 4 < html.text.length ? html : plain;
}
