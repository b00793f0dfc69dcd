import { readArchive } from '../containers/archive.ts';
import type { InnerFile } from '../containers/inner-files.ts';
import type { Reader } from '../reader.ts';

/** The line before each mail (RFC 4155): a sender and the time of delivery. */
const SEPARATOR = /^From \S[^\n]* \d{4}[^\n]*\r?\n/;

/** Mailboxes: the mails of a folder one after another, each a section. */
export const mboxReader: Reader = {
  read: (input) => {
    const { buffer, byteOffset, byteLength } = input.bytes;
    // Of single bytes, so that mails in several encodings stay as they are.
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    return readArchive([...mailsOf(text)], input);
  },
};

/** Whether the text holds more than one mail, or may hold more after its beginning, which is then all that is given. */
export const isMailbox = (text: string, isWhole: boolean): boolean =>
  SEPARATOR.test(text) && (!isWhole || nextSeparator(text, 1) !== text.length);

function* mailsOf(text: string): Generator<InnerFile, void> {
  let number = 0;
  for (let start = SEPARATOR.test(text) ? 0 : nextSeparator(text, 0); start < text.length; ) {
    const end = nextSeparator(text, start + 1);
    const mail = text.slice(text.indexOf('\n', start) + 1, end);
    number += 1;
    yield {
      name: `Mail ${number}.eml`,
      // A line of the mail itself that begins like a separator was quoted.
      bytes: (maxBytes) =>
        mail.length <= maxBytes ? Buffer.from(mail.replaceAll(/^>(>*From )/gm, '$1'), 'latin1') : undefined,
    };
    start = end;
  }
}

/** Where the next mail begins, after a blank line; the length of the text after the last one. */
function nextSeparator(text: string, from: number): number {
  for (let at = text.indexOf('\nFrom ', from); at !== -1; at = text.indexOf('\nFrom ', at + 1)) {
    const isAfterBlank = text[at - 1] === '\n' || (text[at - 1] === '\r' && text[at - 2] === '\n');
    if (isAfterBlank && SEPARATOR.test(text.slice(at + 1, at + 1_000))) return at + 1;
  }
  return text.length;
}
