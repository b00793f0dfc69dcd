/**
 * Makes an empty isolate look like the V8 shell (d8), the only environment in which Pyodide needs nothing but files and
 * a clock. Evaluated first. Everything here lives inside the isolate and has no reference to the process.
 */

const files = new Map();
const timers = new Map();
const outputLines = [];
let nextBytes = () => {
  throw new Error('There is no randomness yet.');
};
let lastTimer = 0;

/** `given` maps names to readable files; `seed` is 32 bytes in hexadecimal. */
export function prepare(given, seed) {
  for (const [name, bytes] of given) files.set(name, bytes);
  nextBytes = chacha20(seed);
}

/** Runs due timers; called by the process while Python starts. */
export function runTimers() {
  const now = Date.now();
  for (const [id, timer] of [...timers]) {
    if (timer.due > now) continue;
    timers.delete(id);
    timer.run();
  }
}

/** The latest console output. */
export const latestOutput = () => outputLines.join('\n');

const define = (name, value) =>
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

// Each file is returned once and then dropped, so that its bytes are not held twice.
define('readbuffer', (path) => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const bytes = files.get(name);
  if (bytes === undefined) throw new Error(`There is no file ${name}.`);
  files.delete(name);
  return bytes;
});
define('read', (path) => {
  throw new Error(`${path} cannot be read as text.`);
});
define('load', () => {
  throw new Error('Scripts cannot be loaded.');
});

const writeLine = (...words) => {
  outputLines.push(words.map(String).join(' ').slice(0, 500));
  if (outputLines.length > 50) outputLines.shift();
};
define('console', {
  log: writeLine,
  warn: writeLine,
  error: writeLine,
  info: writeLine,
  debug: writeLine,
  trace: writeLine,
  assert: () => {},
});

const startedAt = Date.now();
define('performance', { now: () => Date.now() - startedAt, timeOrigin: startedAt });

define('crypto', {
  getRandomValues(view) {
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(nextBytes(view.byteLength));
    return view;
  },
});
// Emscripten reads entropy from the shell with `head -c<N> /dev/urandom | base64`.
define('os', {
  system(_shell, [, command]) {
    const count = /^head -c(\d+) \/dev\/urandom \| base64/.exec(command)?.[1];
    if (count === undefined) throw new Error('There is no shell.');
    return toBase64(nextBytes(Number(count)));
  },
});

define('setTimeout', (callback, delay = 0, ...words) => {
  lastTimer += 1;
  timers.set(lastTimer, { due: Date.now() + Number(delay), run: () => callback(...words) });
  return lastTimer;
});
define('clearTimeout', (timer) => timers.delete(timer));

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function toBase64(bytes) {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index;
    const word = (bytes[index] << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    text += BASE64[word >> 18] + BASE64[(word >> 12) & 63];
    text += left > 1 ? BASE64[(word >> 6) & 63] : '=';
    text += left > 2 ? BASE64[word & 63] : '=';
  }
  return text;
}

/** A ChaCha20 stream (RFC 8439) from a key of 32 bytes, with a 64-bit counter and no nonce. */
function chacha20(key) {
  const words = Uint32Array.from({ length: 8 }, (_, index) => {
    const pairs = key.slice(index * 8, index * 8 + 8).match(/../g);
    return pairs.reduceRight((word, pair) => (word << 8) | Number.parseInt(pair, 16), 0);
  });
  const state = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...words, 0, 0, 0, 0);
  const block = new Uint32Array(16);
  const bytes = new Uint8Array(block.buffer);
  let used = 64;

  const mix = (a, b, c, d) => {
    for (const [rotation, other] of [
      [16, 12],
      [8, 7],
    ]) {
      block[a] += block[b];
      block[d] ^= block[a];
      block[d] = (block[d] << rotation) | (block[d] >>> (32 - rotation));
      block[c] += block[d];
      block[b] ^= block[c];
      block[b] = (block[b] << other) | (block[b] >>> (32 - other));
    }
  };
  const refill = () => {
    block.set(state);
    for (let round = 0; round < 10; round += 1) {
      for (let column = 0; column < 4; column += 1) mix(column, column + 4, column + 8, column + 12);
      mix(0, 5, 10, 15);
      mix(1, 6, 11, 12);
      mix(2, 7, 8, 13);
      mix(3, 4, 9, 14);
    }
    for (let index = 0; index < 16; index += 1) block[index] += state[index];
    state[12] += 1;
    if (state[12] === 0) state[13] += 1;
    used = 0;
  };
  return (count) => {
    const out = new Uint8Array(count);
    for (let done = 0; done < count; ) {
      if (used === 64) refill();
      const part = Math.min(count - done, 64 - used);
      out.set(bytes.subarray(used, used + part), done);
      used += part;
      done += part;
    }
    return out;
  };
}

class Utf8Encoder {
  get encoding() {
    return 'utf-8';
  }

  encode(text = '') {
    const bytes = new Uint8Array(String(text).length * 3);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  encodeInto(text, bytes) {
    const whole = String(text);
    let read = 0;
    let written = 0;
    while (read < whole.length) {
      let point = whole.codePointAt(read);
      const units = point > 0xffff ? 2 : 1;
      if (point >= 0xd800 && point <= 0xdfff) point = 0xfffd;
      const length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + length > bytes.length) break;
      if (length === 1) {
        bytes[written] = point;
      } else {
        for (let index = length - 1; index > 0; index -= 1) {
          bytes[written + index] = 0x80 | (point & 63);
          point >>= 6;
        }
        bytes[written] = ((0xf00 >> length) & 0xff) | point;
      }
      written += length;
      read += units;
    }
    return { read, written };
  }
}

const ENCODINGS = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['utf-16le', 'utf-16le'],
  ['utf-16', 'utf-16le'],
  ['latin1', 'latin1'],
  ['iso-8859-1', 'latin1'],
]);

class Decoder {
  #isFatal;
  #keepsMark;

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    const encoding = ENCODINGS.get(String(label).toLowerCase());
    if (encoding === undefined) throw new RangeError(`The encoding ${label} is not known here.`);
    this.encoding = encoding;
    this.#isFatal = fatal;
    this.#keepsMark = ignoreBOM;
  }

  decode(source = new Uint8Array(0)) {
    const bytes = ArrayBuffer.isView(source)
      ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source);
    if (this.encoding === 'latin1') return pieces(bytes, (part) => String.fromCharCode(...part));
    const text = this.encoding === 'utf-8' ? this.#utf8(bytes) : this.#utf16(bytes);
    return !this.#keepsMark && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  #utf16(bytes) {
    const units = new Uint16Array(bytes.length >> 1);
    for (let index = 0; index < units.length; index += 1) units[index] = bytes[index * 2] | (bytes[index * 2 + 1] << 8);
    return pieces(units, (part) => String.fromCharCode(...part));
  }

  #utf8(bytes) {
    let text = '';
    const points = [];
    const flush = () => {
      text += String.fromCodePoint(...points);
      points.length = 0;
    };
    for (let index = 0; index < bytes.length; ) {
      const [point, length] = this.#point(bytes, index);
      points.push(point);
      index += length;
      if (points.length === 4096) flush();
    }
    flush();
    return text;
  }

  /** One code point and the number of bytes it took; invalid UTF-8 yields the replacement character. */
  #point(bytes, index) {
    const first = bytes[index];
    if (first < 0x80) return [first, 1];
    const length =
      first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    let point = first & (0x7f >> length);
    let taken = 1;
    while (length > 0 && taken < length) {
      const next = bytes[index + taken];
      if (next === undefined || next >> 6 !== 2) break;
      // Overlong forms, surrogates and code points beyond the last plane are recognisable by the second byte.
      if (taken === 1 && !isSecondByte(first, next)) break;
      point = (point << 6) | (next & 63);
      taken += 1;
    }
    if (length > 0 && taken === length) return [point, length];
    if (this.#isFatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
    return [0xfffd, taken];
  }
}

function isSecondByte(first, second) {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  if (first === 0xf4) return second < 0x90;
  return true;
}

function pieces(units, decode) {
  let text = '';
  for (let start = 0; start < units.length; start += 4096) text += decode(units.subarray(start, start + 4096));
  return text;
}

define('TextEncoder', Utf8Encoder);
define('TextDecoder', Decoder);
