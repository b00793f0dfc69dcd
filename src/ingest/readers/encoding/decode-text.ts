import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { cleanText } from './clean-text.ts';
import { guessLegacyEncoding } from './guess-legacy-encoding.ts';

export interface DecodedText {
  readonly text: string;
  /** As named by iconv, e.g. `utf-8`, `windows-1251`. */
  readonly encoding: string;
}

export interface DecodeOptions {
  /** Declared by the format itself, e.g. by HTML's `<meta charset>`; used unless the bytes contradict it. */
  readonly declared?: string | undefined;
}

/** Bytes sampled to detect an encoding. */
const SAMPLE_BYTES = 65_536;
/** Maximum share of control characters in valid UTF-8 text; damaged exports contain some NULs. */
const MAX_CONTROLS_UTF8 = 0.2;
/** Stricter limit for bytes of unknown encoding: random bytes contain about 10 %. */
const MAX_CONTROLS_LEGACY = 0.01;

/** Decodes bytes of unknown encoding; undefined when they are not text. */
export function decodeText(bytes: Uint8Array, options: DecodeOptions = {}): DecodedText | undefined {
  const encoding = detectEncoding(bytes, options.declared);
  if (encoding === undefined) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { text: cleanText(decode(buffer, encoding)), encoding };
}

function decode(buffer: Buffer, encoding: string): string {
  if (encoding === SWITCHING) return new TextDecoder(SWITCHING).decode(buffer);
  // Without the codecs of iconv, which take 15 ms to load. `cleanText` removes a byte order mark.
  return encoding === 'utf-8' ? buffer.toString('utf8') : iconv.decode(buffer, encoding);
}

/** Encoding of Japanese mails: seven-bit, with escape sequences that switch between character sets. */
const SWITCHING = 'iso-2022-jp';

const switchesSets = (bytes: Uint8Array): boolean => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SAMPLE_BYTES));
  return head.includes('\u001b$B') || head.includes('\u001b$@');
};

/** Browsers have always shown Latin-1 pages as Windows-1252, which adds quotes and dashes. */
const asShown = (declared: string): string =>
  /^(?:iso-?8859-?1|latin-?1|us-ascii|ascii)$/i.test(declared) ? 'windows-1252' : declared.toLowerCase();

/** The encoding of the bytes; undefined when they are not text. */
function detectEncoding(bytes: Uint8Array, declared?: string): string | undefined {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return marked;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const controls = controlShare(sample);
  const isNarrow = isUtf8(bytes);
  // Valid UTF-8 without a NUL is never UTF-16: a terminal's log is ASCII with control characters, not Chinese. With
  // only a few NULs it is a damaged text, or one with NUL-terminated strings.
  const maybeWide = controls > (isNarrow ? 0.1 : 0.02) && !(isNarrow && !sample.includes(0));
  const wide = maybeWide ? wideEncoding(sample) : undefined;
  if (wide !== undefined) return wide;
  if (isNarrow && switchesSets(bytes)) return SWITCHING;
  if (isNarrow) return controls <= MAX_CONTROLS_UTF8 ? 'utf-8' : undefined;
  if (controls > MAX_CONTROLS_LEGACY) return undefined;
  if (declared !== undefined && !/^utf-?(8|16|32)/i.test(declared) && iconv.encodingExists(declared)) {
    return asShown(declared);
  }
  // UTF-8 with a few invalid bytes is read as UTF-8, so that the damage stays local.
  return isMostlyUtf8(bytes) ? 'utf-8' : guessLegacyEncoding(nonAsciiSample(bytes));
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return 'utf-32le';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32be';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return undefined;
}

function controlShare(sample: Uint8Array): number {
  let controls = 0;
  for (const byte of sample) if ((byte < 0x20 && (byte < 0x08 || byte > 0x0d)) || byte === 0x7f) controls++;
  return sample.length === 0 ? 0 : controls / sample.length;
}

/** UTF-16 or UTF-32 without a byte order mark: the only decoding in which nearly every character is in common use. */
function wideEncoding(sample: Uint8Array): string | undefined {
  const length = sample.length - (sample.length % 4);
  const whole = sample.length % 2 === 0 ? sample : sample.subarray(0, -1);
  const readings = (['utf-32le', 'utf-32be', 'utf-16le', 'utf-16be'] as const).map((encoding) => {
    const part = encoding.startsWith('utf-32') ? sample.subarray(0, length) : whole;
    return { encoding, score: part.length === 0 ? 0 : writtenShare(iconv.decode(Buffer.from(part), encoding)) };
  });
  const best = readings.reduce((left, right) => (right.score > left.score ? right : left));
  return best.score > 0.97 ? best.encoding : undefined;
}

const WRITTEN = /[\p{L}\p{M}\p{N}\p{P}\p{Sc}\p{Sm}\p{So}\p{Zs}\n\r\t]/gu;
const SELDOM = /[\ufffd\u0080-\u009f]|\p{Co}|\p{Cn}/gu;
/** Spaces, line ends, digits and East Asian full stops, some of which occur in every real text. */
const COMMON = /[ \n\r\t\d.,\u3000-\u3002\uff0c]/;
/** Latin-1 characters in UTF-16: every second byte is zero, which is significant even in a short text. */
const WESTERN = /^[\n\r\t\u0020-\u00ff]+$/;
/** Any two bytes are likely to form a character of some script, so fewer characters prove nothing. */
const MIN_CHARACTERS = 4;

function writtenShare(text: string): number {
  const count = [...text].length;
  if (!WESTERN.test(text) && (count < MIN_CHARACTERS || !COMMON.test(text))) return 0;
  return ((text.match(WRITTEN)?.length ?? 0) - (text.match(SELDOM)?.length ?? 0)) / count;
}

function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes);
  let broken = 0;
  let whole = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0xfffd) broken++;
    else if (unit > 0x7f) whole++;
  }
  return whole > broken * 20;
}

/** Lines with non-ASCII bytes, because a long ASCII head says nothing about the encoding. */
function nonAsciiSample(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - 1_000);
  return bytes.subarray(start, start + SAMPLE_BYTES);
}
