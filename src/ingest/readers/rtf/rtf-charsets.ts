import iconv from 'iconv-lite';

/** Code page by the font's `\fcharset`. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  77: 'macroman',
  128: 'cp932',
  129: 'cp949',
  134: 'cp936',
  136: 'cp950',
  161: 'cp1253',
  162: 'cp1254',
  163: 'cp1258',
  177: 'cp1255',
  178: 'cp1256',
  186: 'cp1257',
  204: 'cp1251',
  222: 'cp874',
  238: 'cp1250',
};

export const SYMBOLS = 'symbols';

/** The code page of a font; undefined for the document's own. */
export const codePageOfCharset = (charset: number): string | undefined =>
  charset === 2 ? SYMBOLS : CODE_PAGES[charset];

/** `cp1252` for 1252; unknown numbers count as Western European. */
export const codePageOfNumber = (number: number): string =>
  iconv.encodingExists(`cp${number}`) ? `cp${number}` : 'cp1252';

/** Decodes bytes of one font; of a symbol font only bullets and a few other characters are kept. */
export const decodeBytes = (bytes: readonly number[], codePage: string): string =>
  codePage === SYMBOLS
    ? bytes.map((byte) => (byte === 0xb7 || byte === 0xa7 ? '•' : '')).join('')
    : iconv.decode(Buffer.from(bytes), codePage);
