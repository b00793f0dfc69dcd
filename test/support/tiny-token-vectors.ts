import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const WORDS = ['[PAD]', '[UNK]', 'king', 'queen', 'apple', 'pear'];

/** Royalty in the first component, fruit in the second. Padding and unknown words must not influence the result. */
export const ROWS: readonly (readonly number[])[] = [
  [9, 9, 9],
  [9, 9, 9],
  [2, 0, 0.5],
  [1, 0, -0.25],
  [0, 4, 1],
  [0, 1, -0.25],
];

export type TensorKind = 'F64' | 'F32' | 'F16' | 'I8' | 'I64' | 'BF16';
export interface TinyTensor {
  readonly kind: TensorKind;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
export type TinyTensors = Readonly<Record<string, TinyTensor>>;

export const embeddings = (kind: TensorKind = 'F32', rows: readonly (readonly number[])[] = ROWS): TinyTensor => ({
  kind,
  shape: [rows.length, rows[0]?.length ?? 0],
  values: rows.flat(),
});

/** A model in the format of Model2Vec, small enough to be written by hand. */
export async function writeTinyTokenVectors(
  folder: string,
  tensors: TinyTensors = { embeddings: embeddings() },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const json = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));
  await json('config.json', { model_type: 'model2vec', architectures: ['StaticModel'], normalize: true });
  await json('tokenizer.json', {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, at) => [word, at])),
    },
  });
  await writeFile(join(folder, 'model.safetensors'), safetensors(tensors));
}

const WRITERS: Readonly<Record<TensorKind, readonly [bytes: number, (view: DataView, at: number, n: number) => void]>> =
  {
    F64: [8, (view, at, n) => view.setFloat64(at, n, true)],
    F32: [4, (view, at, n) => view.setFloat32(at, n, true)],
    F16: [2, (view, at, n) => view.setFloat16(at, n, true)],
    BF16: [2, (view, at, n) => view.setFloat16(at, n, true)],
    I8: [1, (view, at, n) => view.setInt8(at, n)],
    I64: [8, (view, at, n) => view.setBigInt64(at, BigInt(n), true)],
  };

function safetensors(tensors: TinyTensors): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'np' } };
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const [name, { kind, shape, values }] of Object.entries(tensors)) {
    const [bytes, write] = WRITERS[kind];
    const piece = Buffer.alloc(values.length * bytes);
    const view = new DataView(piece.buffer, piece.byteOffset, piece.length);
    for (const [at, value] of values.entries()) write(view, at * bytes, value);
    header[name] = { dtype: kind, shape, data_offsets: [offset, offset + piece.length] };
    offset += piece.length;
    pieces.push(piece);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...pieces]);
}
