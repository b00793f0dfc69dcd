import { decodeText } from '../encoding/decode-text.ts';

/** The headers of a mail or of a part, names in lower case; the first of repeated ones. */
export type MimeHeaders = ReadonlyMap<string, string>;

/** Real headers have a few kilobytes; longer ones are cut here and the rest is treated as the body. */
const MAX_HEADER = 256_000;
const FIELD = /^([!-9;-~]{1,100}):[ \t]*/;

/** Separates the headers from the body. A text that does not begin with a header has none. */
export function readHeaders(source: string): { readonly headers: MimeHeaders; readonly bodyStart: number } {
  const headers = new Map<string, string>();
  let name = '';
  let value: string[] = [];
  const close = () => {
    if (name !== '' && !headers.has(name)) headers.set(name, value.join('').trim());
  };
  let at = 0;
  while (at < source.length && at < MAX_HEADER) {
    const newline = source.indexOf('\n', at);
    const next = newline === -1 ? source.length : newline + 1;
    const line = source.slice(at, newline === -1 ? source.length : newline).replace(/\r$/, '');
    if (line === '') {
      at = next;
      break;
    }
    const field = FIELD.exec(line.slice(0, 200));
    if (field?.[1] !== undefined) {
      close();
      name = field[1].toLowerCase();
      value = [line.slice(field[0].length)];
    } else if (/^[ \t]/.test(line) && name !== '') value.push(line);
    // A line that is not a header starts the body.
    else if (name === '' || !/^(?:From |>From )/.test(line)) break;
    at = next;
  }
  close();
  return { headers, bodyStart: at };
}

export interface FieldValue {
  /** In lower case. */
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([\w!#$%&'*+.^`{|}~-]{1,60})\s*=\s*(?:"((?:[^"\\]|\\.){0,2000})"|([^;\s"]{0,2000}))/g;

/** Parses a field such as `text/plain; charset=utf-8`, joining split or encoded parameters (RFC 2231). */
export function readField(source: string | undefined): FieldValue {
  const text = (source ?? '').slice(0, 10_000);
  const value = (text.split(';', 1)[0] ?? '').trim().toLowerCase();
  const found = new Map<string, string>();
  for (const [, name = '', quoted, bare] of text.matchAll(PARAMETER))
    found.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '');
  const parameters = new Map<string, string>();
  for (const [name, content] of found) {
    const plain = name.replace(/\*.*$/, '');
    if (!parameters.has(plain)) parameters.set(plain, name === plain ? decodeWords(content) : joinSplit(found, plain));
  }
  return { value, parameters };
}

function joinSplit(found: ReadonlyMap<string, string>, name: string): string {
  const whole = found.get(`${name}*`);
  const pieces: { text: string; isEncoded: boolean }[] = whole === undefined ? [] : [{ text: whole, isEncoded: true }];
  for (let index = 0; whole === undefined; index++) {
    const encoded = found.get(`${name}*${index}*`);
    const piece = encoded ?? found.get(`${name}*${index}`);
    if (piece === undefined) break;
    pieces.push({ text: piece, isEncoded: encoded !== undefined });
  }
  if (!pieces.some(({ isEncoded }) => isEncoded)) return decodeWords(pieces.map(({ text }) => text).join(''));
  const [, charset = '', first = ''] = /^([^']*)'[^']*'([\s\S]*)$/.exec(pieces[0]?.text ?? '') ?? [];
  const bytes = pieces.map(({ text, isEncoded }, index) => {
    const shown = index === 0 && first !== '' ? first : text;
    return isEncoded ? percentBytes(shown) : Buffer.from(shown, 'latin1');
  });
  return decodeBytes(Buffer.concat(bytes), charset);
}

const percentBytes = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const WORDS = /=\?([^?\s]{1,40})\?([bq])\?([^?\s]{0,2000})\?=(?:\s+(?==\?[^?\s]{1,40}\?[bq]\?))?/gi;

/** Decodes a header: encoded words (RFC 2047), and raw non-ASCII bytes, which are invalid but occur. */
export function decodeWords(source: string): string {
  const text = /[\u0080-\u00ff]/.test(source) ? decodeBytes(Buffer.from(source, 'latin1'), '') : source;
  // Adjacent encoded words of the same charset are joined first, because some programs split a character.
  const joined: { charset: string; bytes: Buffer[] }[] = [];
  let shown = '';
  const flush = () => {
    for (const { charset, bytes } of joined.splice(0)) shown += decodeBytes(Buffer.concat(bytes), charset);
  };
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    const [whole, charset = '', kind = '', content = ''] = match;
    const plain = text.slice(end, match.index);
    if (plain !== '') {
      flush();
      shown += plain;
    }
    const bytes =
      kind.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : quotedBytes(content.replaceAll('_', ' '));
    const last = joined.at(-1);
    const named = charset.replace(/\*.*$/, '').toLowerCase();
    if (last?.charset === named) last.bytes.push(bytes);
    else joined.push({ charset: named, bytes: [bytes] });
    end = match.index + whole.length;
  }
  flush();
  return (shown + text.slice(end)).replaceAll(/\s+/g, ' ').trim();
}

/** Decodes quoted-printable to bytes; invalid escapes stay unchanged. */
export const quotedBytes = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll(/=[ \t]{0,80}\r?\n/g, '')
      .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const decodeBytes = (bytes: Buffer, declared: string): string =>
  decodeText(bytes, declared === '' ? {} : { declared })?.text ?? bytes.toString('latin1');
