/** The content of a CMS envelope (RFC 5652), signed or encrypted. */
export type OpenedCms =
  | { readonly kind: 'signed'; readonly content: Uint8Array }
  /** A detached signature. */
  | { readonly kind: 'signature' }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'unknown' };

const SIGNED_DATA = '2a864886f70d010702';
const ENVELOPED = new Set(['2a864886f70d010703', '2a864886f70d010706', '2a864886f70d0109100117']);

/**
 * Extracts the content of a signed envelope, given in binary, Base64 or PEM. The signature is not verified: search
 * needs the text, and certificates of old mails have usually expired.
 */
export function openSigned(given: Uint8Array): OpenedCms {
  const bytes = binaryOf(Buffer.from(given.buffer, given.byteOffset, given.byteLength));
  try {
    const [kind, content] = childrenOf(bytes, readElement(bytes, 0));
    if (kind === undefined || content === undefined || kind.tag !== OBJECT_ID) return { kind: 'unknown' };
    const name = bytes.toString('hex', kind.start, kind.end);
    if (ENVELOPED.has(name)) return { kind: 'encrypted' };
    if (name !== SIGNED_DATA) return { kind: 'unknown' };
    const [signed] = childrenOf(bytes, content);
    const encapsulated = signed && childrenOf(bytes, signed)[2];
    const wrapped = encapsulated && childrenOf(bytes, encapsulated)[1];
    const [octets] = wrapped === undefined ? [] : childrenOf(bytes, wrapped);
    return octets === undefined ? { kind: 'signature' } : { kind: 'signed', content: octetsOf(bytes, octets, 0) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'unknown' };
    throw error;
  }
}

function binaryOf(given: Buffer): Buffer {
  if (given[0] === SEQUENCE) return given;
  const text = given.toString('latin1').replaceAll(/-----[A-Z0-9 ]{1,40}-----/g, '');
  return /^[\sA-Za-z0-9+/=]+$/.test(text) ? Buffer.from(text, 'base64') : given;
}

interface Element {
  readonly tag: number;
  /** Start and end of the content. */
  readonly start: number;
  readonly end: number;
  /** Start of the next element. */
  readonly next: number;
}

const SEQUENCE = 0x30;
const OBJECT_ID = 0x06;
const CONSTRUCTED = 0x20;
const MAX_DEPTH = 30;

/** Throws RangeError for an element that extends beyond the bytes, as Buffer itself does. */
function readElement(bytes: Buffer, at: number, depth = 0): Element {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  const tag = bytes.readUInt8(at);
  const first = bytes.readUInt8(at + 1);
  if (first === 0x80) {
    // Indefinite length: the element ends with two zero bytes after its last part.
    let next = at + 2;
    while (bytes.readUInt16BE(next) !== 0) next = readElement(bytes, next, depth + 1).next;
    return { tag, start: at + 2, end: next, next: next + 2 };
  }
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  if (start + length > bytes.length) throw new RangeError('cut off');
  return { tag, start, end: start + length, next: start + length };
}

function childrenOf(bytes: Buffer, { start, end }: Element): Element[] {
  const children: Element[] = [];
  for (let at = start; at < end; ) {
    const child = readElement(bytes, at);
    children.push(child);
    at = child.next;
  }
  return children;
}

/** The content of an octet string, joined when it is fragmented. */
function octetsOf(bytes: Buffer, element: Element, depth: number): Buffer {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  if ((element.tag & CONSTRUCTED) === 0) return bytes.subarray(element.start, element.end);
  return Buffer.concat(childrenOf(bytes, element).map((child) => octetsOf(bytes, child, depth + 1)));
}
