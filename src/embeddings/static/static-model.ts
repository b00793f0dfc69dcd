import { readFile } from 'node:fs/promises';
import { lazyResult } from '../../shared/lazy-result.ts';
import { unitVector } from '../unit-vector.ts';
import { type EncodeWords, wordPieces } from './word-pieces.ts';

/** Token vectors that do not depend on context; a text's vector is their weighted sum. */
export interface StaticModel {
  readonly dimensions: number;
  /** Undefined for a text without any known token. */
  embed(text: string): Float32Array | undefined;
}

/** The model shipped with this package. */
export interface PackagedModel extends StaticModel {
  /** Share (0 to 1) of a text's words that are in the vocabulary as a whole; low for other languages and rare words. */
  vocabularyCoverage(text: string): number;
}

/** Longer texts are truncated; chunks are far shorter. */
const MAX_LENGTH = 100_000;
const MAGIC = 'CWSTATIC';
const HEADER_BYTES = 16;

/** Reads the model on first use; it is shared by the process. */
export const packagedModel: () => Promise<PackagedModel> = lazyResult(readPackagedModel);

async function readPackagedModel(): Promise<PackagedModel> {
  const [table, names] = await Promise.all([
    readFile(new URL('./static-v1.bin', import.meta.url)),
    readFile(new URL('./static-v1.vocab.txt', import.meta.url), 'utf8'),
  ]);
  const vocabulary = names.trimEnd().split('\n');
  const encode = await wordPieces(vocabulary);
  const isContinued = (token: number | undefined) => token !== undefined && vocabulary[token]?.startsWith('##');
  return {
    ...staticModel(table, encode),
    vocabularyCoverage(text) {
      const tokens = encode(text.slice(0, MAX_LENGTH)).filter((token) => /[\p{L}\p{N}]/u.test(vocabulary[token] ?? ''));
      const whole = tokens.filter((token, at) => !isContinued(token) && !isContinued(tokens[at + 1]));
      return tokens.length === 0 ? 0 : whole.length / tokens.length;
    },
  };
}

/**
 * Reads a table: `CWSTATIC`, the number of tokens and of dimensions (uint32, little-endian as all numbers), a scale per
 * token (uint16), and a row of int8 per token. A token's vector is its row times its scale. Throws when the table is
 * damaged.
 */
export function staticModel(table: Uint8Array, encode: EncodeWords): StaticModel {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const isTable = table.length >= HEADER_BYTES && new TextDecoder('latin1').decode(table.subarray(0, 8)) === MAGIC;
  const tokens = isTable ? view.getUint32(8, true) : 0;
  const dimensions = isTable ? view.getUint32(12, true) : 0;
  const rowsAt = HEADER_BYTES + 2 * tokens;
  if (!isTable || dimensions === 0 || table.length !== rowsAt + tokens * dimensions) {
    throw new Error('The table of the static embedding model is damaged. Install the package again.');
  }
  const rows = new Int8Array(table.buffer, table.byteOffset + rowsAt, tokens * dimensions);
  const scales = Uint16Array.from({ length: tokens }, (_, token) => view.getUint16(HEADER_BYTES + 2 * token, true));
  return sumOfTokens({ dimensions, rows, scales }, encode, logarithmicWeight);
}

export interface TokenVectors {
  readonly dimensions: number;
  readonly rows: Int8Array;
  /** The row of each token; without it, the token's own position. */
  readonly rowOf?: Int32Array | undefined;
  /** A token's vector is its row times its scale. */
  readonly scales: Uint16Array;
}

/** A model whose text vectors are weighted sums of token vectors. `countWeight` must return integers. */
export function sumOfTokens(
  { dimensions, rows, rowOf, scales }: TokenVectors,
  encode: EncodeWords,
  countWeight: (count: number) => number,
): StaticModel {
  function embed(text: string): Float32Array | undefined {
    const counts = new Map<number, number>();
    for (const token of encode(text.slice(0, MAX_LENGTH))) counts.set(token, (counts.get(token) ?? 0) + 1);
    // Sums of integers below 2^53 are exact in any order, so every platform computes the same vector.
    const sum = new Float64Array(dimensions);
    for (const [token, count] of counts) {
      const scale = scales[token];
      if (scale === undefined) continue;
      const factor = scale * countWeight(count);
      const row = (rowOf?.[token] ?? token) * dimensions;
      for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + factor * (rows[row + at] ?? 0);
    }
    return unitVector(sum);
  }
  return { dimensions, embed };
}

// Sublinear in the number of repetitions: 1 + ln(count), in units of 1/64.
const logarithmicWeight = (count: number): number => Math.round(64 * (1 + Math.log(count)));
