import { readArchive } from '../containers/archive.ts';
import type { InnerFile } from '../containers/inner-files.ts';
import type { Reader } from '../reader.ts';
import { mailDate } from './mail-date.ts';
import { readHeaders } from './mime-headers.ts';
import { headerOf } from './mime-parts.ts';
import { nextSeparator, startsWithSeparator } from './separate-mails.ts';

/** Mailboxes: the mails of a folder one after another, each a section. */
export const mboxReader: Reader = {
  read: (input) => {
    const { buffer, byteOffset, byteLength } = input.bytes;
    // Latin-1 maps each byte to one character, so that mails in different encodings stay unchanged.
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    return readArchive([...mailsOf(text)], input);
  },
};

function* mailsOf(text: string): Generator<InnerFile, void> {
  let number = 0;
  for (let start = startsWithSeparator(text) ? 0 : nextSeparator(text, 0); start < text.length; ) {
    const end = nextSeparator(text, start + 1);
    const mail = text.slice(text.indexOf('\n', start) + 1, end);
    number += 1;
    yield {
      name: `Message ${number}.eml`,
      label: labelOf(number, mail),
      // Mailboxes quote the lines of a mail that look like separators.
      bytes: (maxBytes) =>
        mail.length <= maxBytes ? Buffer.from(mail.replaceAll(/^>(>*From )/gm, '$1'), 'latin1') : undefined,
    };
    start = end;
  }
}

const MAX_SUBJECT = 120;

/** `Message 2: Subject`, as a heading of the text and in citations; without a subject, with the date of the mail. */
function labelOf(number: number, mail: string): string {
  const { headers } = readHeaders(mail);
  // Slashes would separate folders.
  const subject = [...(headerOf(headers, 'subject') ?? '').replaceAll(/\s*[/\\]\s*/g, '-').trim()];
  if (subject.length > MAX_SUBJECT) return `Message ${number}: ${subject.slice(0, MAX_SUBJECT).join('')}…`;
  if (subject.length > 0) return `Message ${number}: ${subject.join('')}`;
  const date = mailDate(headerOf(headers, 'date'));
  return date === undefined ? `Message ${number}` : `Message ${number} (${date.slice(0, 10)})`;
}
