import { createHash } from 'node:crypto';
import { EMBEDDED_TERMS_VERSION } from '../../store/full-text/analyse.ts';
import type { LsaModel } from './lsa-model.ts';

/** Result of training: the terms, and for each a row of `width` numbers. */
export interface LearnedTerms {
  readonly terms: readonly string[];
  readonly width: number;
  readonly directions: Float32Array;
  /** Number of chunks in the corpus. */
  readonly chunkCount: number;
  readonly knownShare: number;
}

/** Changed whenever terms are weighted or texts folded in differently. */
const FORMAT = 1;
const MAGIC = 'citewell-lsa\n';
const CHECKSUM = 32;

/**
 * Serialises a trained model: a line with the format, a line of JSON, the terms one per line, the numbers as
 * little-endian float32 at an offset divisible by four, and a SHA-256 over all of it.
 */
export function encodeArtefact(learned: LearnedTerms): Uint8Array<ArrayBuffer> {
  const { terms, width, directions, chunkCount, knownShare } = learned;
  const names = Buffer.from(terms.join('\n'));
  const head = JSON.stringify({
    format: FORMAT,
    analyser: EMBEDDED_TERMS_VERSION,
    terms: terms.length,
    termBytes: names.length,
    width,
    passages: chunkCount,
    knownShare,
  });
  const text = Buffer.concat([Buffer.from(`${MAGIC}${head}\n`), names]);
  const start = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(start + directions.byteLength + CHECKSUM);
  bytes.set(text);
  const numbers = new DataView(bytes.buffer, start);
  for (const [place, value] of directions.entries()) numbers.setFloat32(place * 4, value, true);
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
  if (head.format !== FORMAT || head.analyser !== EMBEDDED_TERMS_VERSION) return undefined;
  const termsEnd = headEnd + 1 + head.termBytes;
  const terms = buffer
    .subarray(headEnd + 1, termsEnd)
    .toString()
    .split('\n');
  const start = Math.ceil(termsEnd / 4) * 4;
  const numbers = new DataView(content.buffer, content.byteOffset + start);
  const directions = new Float32Array(head.terms * head.width);
  for (let place = 0; place < directions.length; place++) directions[place] = numbers.getFloat32(place * 4, true);
  return {
    version: versionOf(checksum),
    dimensions: head.width + 1,
    rows: new Map(terms.slice(0, head.terms).map((term, row) => [term, row])),
    directions,
    chunkCount: head.passages,
    knownShare: head.knownShare,
  };
}

/** A version derived from the content, so that two models with the same name cannot be confused. */
export const versionOfArtefact = (bytes: Uint8Array): string => versionOf(bytes.subarray(-CHECKSUM));

const versionOf = (checksum: Uint8Array): string =>
  `${FORMAT}.${EMBEDDED_TERMS_VERSION}.${Buffer.from(checksum.subarray(0, 6)).toString('hex')}`;

interface Header {
  readonly format: number;
  readonly analyser: string;
  readonly terms: number;
  readonly termBytes: number;
  readonly width: number;
  readonly passages: number;
  readonly knownShare: number;
}

// The checksum was verified, so the line is as this program wrote it.
const readHeader = (line: string): Header => JSON.parse(line) as Header;
