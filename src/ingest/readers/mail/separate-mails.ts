/** The line before each mail (RFC 4155): a sender and the time of delivery. */
const SEPARATOR = /^From \S[^\n]* \d{4}[^\n]*\r?\n/;

export const startsWithSeparator = (text: string): boolean => SEPARATOR.test(text);

/** Whether the text contains several mails, or begins like a mailbox and is only the beginning of a file. */
export const isMailbox = (text: string, isWhole: boolean): boolean =>
  startsWithSeparator(text) && (!isWhole || nextSeparator(text, 1) !== text.length);

/** The offset of the next mail, which begins after a blank line; the length of the text after the last one. */
export function nextSeparator(text: string, from: number): number {
  for (let at = text.indexOf('\nFrom ', from); at !== -1; at = text.indexOf('\nFrom ', at + 1)) {
    const isAfterBlank = text[at - 1] === '\n' || (text[at - 1] === '\r' && text[at - 2] === '\n');
    if (isAfterBlank && startsWithSeparator(text.slice(at + 1, at + 1_000))) return at + 1;
  }
  return text.length;
}
