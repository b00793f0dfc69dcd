import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { ModelFolder } from '../../local-models/model-folder.ts';
import { type StaticModel, sumOfTokens } from './static-model.ts';
import { type EncodeWords, rememberWords } from './word-pieces.ts';

/** Bytes read at a time; a multilingual model takes half a gigabyte. */
const BLOCK_BYTES = 8 * 2 ** 20;
const MAX_HEADER_BYTES = 2 ** 24;
const LARGEST_INT8 = 127;
const LARGEST_UINT16 = 65_535;

const tensor = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});
type Tensor = z.infer<typeof tensor>;

/** Element size and reader of each tensor type; safetensors is little-endian. */
const NUMBERS: Readonly<
  Record<string, { readonly bytes: number; readonly read: (at: DataView, byte: number) => number }>
> = {
  F64: { bytes: 8, read: (view, byte) => view.getFloat64(byte, true) },
  F32: { bytes: 4, read: (view, byte) => view.getFloat32(byte, true) },
  F16: { bytes: 2, read: (view, byte) => view.getFloat16(byte, true) },
  I64: { bytes: 8, read: (view, byte) => Number(view.getBigInt64(byte, true)) },
  I32: { bytes: 4, read: (view, byte) => view.getInt32(byte, true) },
  I8: { bytes: 1, read: (view, byte) => view.getInt8(byte) },
};

/**
 * Reads a model in Model2Vec's format: `tokenizer.json` and `model.safetensors`, which has a row of `embeddings` per
 * token or, if tokens share rows, per number in `mapping`; `weights` are factors per token. Rows are quantised to int8
 * with a scale, a quarter of the usual size. Throws `not_configured` if a file is damaged.
 */
export async function readModel2Vec(folder: ModelFolder): Promise<StaticModel> {
  const damaged = (reason: string) =>
    new ServiceError('not_configured', `${folder.weights} is not a model of token vectors: ${reason}.`);
  await using file = await open(folder.weights);
  const { tensors, start } = await readHeader(file, damaged);
  const find = (name: string, dimensions: number): Tensor | undefined => {
    const found = tensors[name];
    const numbers = NUMBERS[found?.dtype ?? ''];
    if (found === undefined) return undefined;
    if (numbers === undefined) throw damaged(`"${name}" has numbers of an unknown kind, ${found.dtype}`);
    const [from, to] = found.data_offsets;
    const count = found.shape.reduce((product, length) => product * length, 1);
    if (found.shape.length !== dimensions || to - from !== count * numbers.bytes || count === 0) {
      throw damaged(`"${name}" has an unexpected size`);
    }
    return found;
  };
  const embeddings = find('embeddings', 2) ?? find('embedding.weight', 2);
  if (embeddings === undefined) throw damaged('it has no "embeddings"');
  const readAll = async (found: Tensor | undefined) => {
    if (found === undefined) return undefined;
    const all = new Float64Array(found.shape[0] ?? 0);
    let at = 0;
    for await (const values of blocks(file, start, found, 1)) {
      all.set(values, at);
      at += values.length;
    }
    return all;
  };
  const weights = await readAll(find('weights', 1));
  const rowOf = await readAll(find('mapping', 1));
  const { rows, scales, dimensions } = await quantise(file, start, embeddings);
  const rowCount = scales.length;
  const tokens = rowOf?.length ?? rowCount;
  if (rowOf?.some((row) => !(row >= 0 && row < rowCount))) throw damaged('"mapping" names a row that is not there');
  if (weights !== undefined && weights.length !== tokens) throw damaged('"weights" has an unexpected size');
  if (weights?.some((weight) => weight < 0)) throw damaged('"weights" has a negative number');
  const factors = Float64Array.from(
    { length: tokens },
    (_, token) => (scales[rowOf?.[token] ?? token] ?? 0) * (weights?.[token] ?? 1),
  );
  const largest = factors.reduce((max, factor) => Math.max(max, factor), 0);
  if (!(largest > 0 && Number.isFinite(largest))) throw damaged('its vectors are empty or not finite');
  const vectors = {
    dimensions,
    rows,
    rowOf: rowOf && Int32Array.from(rowOf),
    scales: Uint16Array.from(factors, (factor) => Math.round((factor / largest) * LARGEST_UINT16)),
  };
  return sumOfTokens(vectors, await tokenEncoder(folder), (count) => count);
}

async function readHeader(file: FileHandle, damaged: (reason: string) => ServiceError) {
  const { size } = await file.stat();
  const length = Buffer.alloc(8);
  await file.read(length, 0, 8, 0);
  const headerBytes = Number(length.readBigUInt64LE());
  if (headerBytes > MAX_HEADER_BYTES || headerBytes + 8 > size) throw damaged('its header is cut off');
  const header = Buffer.alloc(headerBytes);
  await file.read(header, 0, headerBytes, 8);
  const start = 8 + headerBytes;
  try {
    const { __metadata__: _, ...named } = JSON.parse(header.toString('utf8'));
    const tensors: Readonly<Record<string, Tensor | undefined>> = z.record(z.string(), tensor).parse(named);
    const ends = Object.values(tensors).map((found) => found?.data_offsets[1] ?? 0);
    if (start + Math.max(0, ...ends) <= size) return { tensors, start };
  } catch {
    throw damaged('its header cannot be read');
  }
  throw damaged('it is cut off');
}

/** The numbers of a tensor in blocks whose lengths are multiples of `width`. */
async function* blocks(file: FileHandle, start: number, found: Tensor, width: number): AsyncGenerator<Float64Array> {
  const { bytes, read } = NUMBERS[found.dtype] ?? { bytes: 1, read: () => 0 };
  const [from, to] = found.data_offsets;
  const step = Math.max(1, Math.floor(BLOCK_BYTES / (bytes * width))) * bytes * width;
  const buffer = Buffer.alloc(Math.min(step, to - from));
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  for (let at = from; at < to; at += step) {
    const length = Math.min(step, to - at);
    await file.read(buffer, 0, length, start + at);
    const values = new Float64Array(length / bytes);
    for (let index = 0; index < values.length; index++) values[index] = read(view, index * bytes);
    yield values;
  }
}

/** Quantises each row to int8, with a scale that restores its magnitude. */
async function quantise(file: FileHandle, start: number, embeddings: Tensor) {
  const [rowCount = 0, dimensions = 0] = embeddings.shape;
  const rows = new Int8Array(rowCount * dimensions);
  const scales = new Float64Array(rowCount);
  const isQuantised = embeddings.dtype === 'I8';
  let row = 0;
  for await (const values of blocks(file, start, embeddings, dimensions)) {
    for (let at = 0; at < values.length; at += dimensions, row++) {
      let largest = 0;
      for (let index = at; index < at + dimensions; index++) largest = Math.max(largest, Math.abs(values[index] ?? 0));
      const scale = isQuantised ? 1 : largest / LARGEST_INT8;
      scales[row] = scale;
      if (scale === 0) continue;
      const target = row * dimensions - at;
      for (let index = at; index < at + dimensions; index++) {
        rows[target + index] = Math.round((values[index] ?? 0) / scale);
      }
    }
  }
  return { rows, scales, dimensions };
}

const tokenizerFile = z.object({
  pre_tokenizer: z.looseObject({ type: z.string(), prepend_scheme: z.string().optional() }).nullish(),
  model: z.looseObject({ unk_token: z.string().nullish(), unk_id: z.number().nullish() }),
});

/** A tokenizer that omits special and unknown tokens, as Model2Vec does. */
async function tokenEncoder({ path }: ModelFolder): Promise<EncodeWords> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  try {
    const json = JSON.parse(await readFile(join(path, 'tokenizer.json'), 'utf8'));
    const { model, pre_tokenizer: split } = tokenizerFile.parse(json);
    const tokenizer = new Tokenizer(json, {});
    const unknown = model.unk_id ?? tokenizer.token_to_id(model.unk_token ?? '');
    const encode: EncodeWords = (text) =>
      tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id: number) => id !== unknown);
    // These pre-tokenizers encode a word the same at any position, so each distinct word is encoded only once.
    const isByWord =
      split?.type === 'BertPreTokenizer' || (split?.type === 'Metaspace' && split.prepend_scheme !== 'first');
    if (!isByWord) return encode;
    const encodeWord = rememberWords(encode);
    return (text) => text.split(/\s+/u).flatMap((word) => (word === '' ? [] : encodeWord(word)));
  } catch (cause) {
    throw new ServiceError('not_configured', `${join(path, 'tokenizer.json')} is not a tokenizer that can be used.`, {
      cause,
    });
  }
}
