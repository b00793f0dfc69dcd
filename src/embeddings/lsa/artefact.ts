import { createHash } from 'node:crypto';
import { EMBEDDED_TERMS_VERSION } from '../../store/full-text/analyse.ts';
import { STATIC_VERSION } from '../built-in-names.ts';
import type { LsaModel } from './lsa-model.ts';

/** Result of training: the terms, and for each a row of `width` numbers in `directions`. */
export interface LearnedTerms {
  readonly terms: readonly string[];
  readonly width: number;
  readonly directions: Float32Array;
  /** Number of chunks in the corpus. */
  readonly chunkCount: number;
  readonly knownShare: number;
  /** Mean of the packaged embedder's vectors over the training texts; empty if its vectors are not joined. */
  readonly centre: Float32Array;
}

/** Changed whenever terms are weighted or texts folded in differently. */
const FORMAT = 2;
/** Format without the packaged embedder's vectors; corpora that use it keep it until they are retrained. */
const UNJOINED_FORMAT = 1;
const MAGIC = 'citewell-lsa\n';
const CHECKSUM = 32;

/**
 * Serialises a trained model: a line with the format, a line of JSON, the terms one per line, the numbers as
 * little-endian float32 at an offset divisible by four (the terms' rows, then the centre), and a SHA-256 over all of it.
 */
export function encodeArtefact(learned: LearnedTerms): Uint8Array<ArrayBuffer> {
  const { terms, width, directions, chunkCount, knownShare, centre } = learned;
  const names = Buffer.from(terms.join('\n'));
  const head = JSON.stringify({
    format: FORMAT,
    analyser: EMBEDDED_TERMS_VERSION,
    terms: terms.length,
    termBytes: names.length,
    width,
    passages: chunkCount,
    knownShare,
    centre: centre.length,
    packaged: STATIC_VERSION,
  });
  const text = Buffer.concat([Buffer.from(`${MAGIC}${head}\n`), names]);
  const start = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(start + directions.byteLength + centre.byteLength + CHECKSUM);
  bytes.set(text);
  writeNumbers(bytes, start, directions);
  writeNumbers(bytes, start + directions.byteLength, centre);
  bytes.set(createHash('sha256').update(bytes.subarray(0, -CHECKSUM)).digest(), bytes.length - CHECKSUM);
  return bytes;
}

/** Undefined when the bytes are damaged, of another format, or from an analyser with other terms. */
export function decodeArtefact(bytes: Uint8Array): LsaModel | undefined {
  const checksum = Buffer.from(bytes.subarray(-CHECKSUM));
  const content = bytes.subarray(0, -CHECKSUM);
  if (!createHash('sha256').update(content).digest().equals(checksum)) return undefined;
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (buffer.subarray(0, MAGIC.length).toString() !== MAGIC) return undefined;
  const headEnd = buffer.indexOf('\n', MAGIC.length);
  const head = readHeader(buffer.subarray(MAGIC.length, headEnd).toString());
  if (head.analyser !== EMBEDDED_TERMS_VERSION) return undefined;
  const isJoined = head.format === FORMAT && head.packaged === STATIC_VERSION;
  if (!isJoined && head.format !== UNJOINED_FORMAT) return undefined;
  const termsEnd = headEnd + 1 + head.termBytes;
  const terms = buffer
    .subarray(headEnd + 1, termsEnd)
    .toString()
    .split('\n');
  const start = Math.ceil(termsEnd / 4) * 4;
  const { centre: centreLength = 0 } = head;
  const values = readNumbers(content, start, head.terms * head.width + centreLength);
  return {
    version: versionOf(checksum, head.format),
    dimensions: head.width + 1 + centreLength,
    rows: new Map(terms.slice(0, head.terms).map((term, row) => [term, row])),
    directions: values.subarray(0, head.terms * head.width),
    centre: values.subarray(head.terms * head.width),
    chunkCount: head.passages,
    knownShare: head.knownShare,
  };
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function writeNumbers(bytes: Uint8Array, start: number, numbers: Float32Array): void {
  if (isLittleEndian) {
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), start);
    return;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  for (const [place, number] of numbers.entries()) view.setFloat32(place * 4, number, true);
}

/** A view of the bytes without copying if alignment and byte order permit; a large model has 50 MB of numbers. */
function readNumbers(bytes: Uint8Array, start: number, count: number): Float32Array {
  const at = bytes.byteOffset + start;
  if (isLittleEndian && at % 4 === 0) return new Float32Array(bytes.buffer, at, count);
  const view = new DataView(bytes.buffer, at);
  return Float32Array.from({ length: count }, (_, place) => view.getFloat32(place * 4, true));
}

/** A version derived from the content, so that two models with the same name cannot be confused. */
export const versionOfArtefact = (bytes: Uint8Array): string => versionOf(bytes.subarray(-CHECKSUM), FORMAT);

const versionOf = (checksum: Uint8Array, format: number): string =>
  `${format}.${EMBEDDED_TERMS_VERSION}.${Buffer.from(checksum.subarray(0, 6)).toString('hex')}`;

interface Header {
  readonly format: number;
  readonly analyser: string;
  readonly terms: number;
  readonly termBytes: number;
  readonly width: number;
  readonly passages: number;
  readonly knownShare: number;
  /** Length of the centre vector, and version of the packaged embedder; since format 2. */
  readonly centre?: number;
  readonly packaged?: string;
}

// The checksum has been verified, so the header needs no validation.
const readHeader = (line: string): Header => JSON.parse(line) as Header;
