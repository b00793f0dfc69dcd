import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'king', 'queen', 'apple', 'pear', 'query', 'passage', ':'];
const WIDTH = 4;
const MAX_LENGTH = 12;

/** One row per word: royalty in the first component, fruit in the second, and no row is all zeros. */
const ROWS: readonly (readonly number[])[] = [
  [9, 9, 9, 9], // padding, which must not influence the result
  [0, 0, 0, 1],
  [0, 0, 0.1, 0],
  [0, 0, 0.1, 0],
  [1, 0, 0, 0.2],
  [1, 0, 0, -0.2],
  [0, 1, 0, 0.2],
  [0, 1, 0, -0.2],
  [0, 0, 1, 0],
  [0, 0, -1, 0],
  [0, 0, 0.1, 0],
];

/**
 * Writes an embedding model in the layout of the Hugging Face hub, small enough to be written by hand: a WordPiece
 * tokenizer of eleven words and a network that looks up each word's vector.
 */
export const writeTinyModel = (folder: string): Promise<void> =>
  writeModel(folder, { architecture: 'BertModel', network: tinyNetwork() });

/** Writes a cross-encoder that scores exactly the pairs with the word "king" as relevant. */
export const writeTinyReranker = (folder: string): Promise<void> =>
  writeModel(folder, { architecture: 'BertForSequenceClassification', network: tinyClassifier() });

async function writeModel(
  folder: string,
  { architecture, network }: { readonly architecture: string; readonly network: Buffer },
): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx', 'model.onnx'), network);
  const json = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));
  await json('config.json', {
    model_type: 'bert',
    architectures: [architecture],
    hidden_size: WIDTH,
    num_hidden_layers: 1,
    num_attention_heads: 1,
    vocab_size: WORDS.length,
    max_position_embeddings: MAX_LENGTH,
  });
  await json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    do_lower_case: true,
    unk_token: '[UNK]',
    pad_token: '[PAD]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
  });
  const special = (id: number) => ({
    id,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  });
  await json('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: WORDS.slice(0, 4).map((content, id) => ({ ...special(id), content })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special2('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special2('[SEP]')],
      pair: [
        special2('[CLS]'),
        { Sequence: { id: 'A', type_id: 0 } },
        special2('[SEP]'),
        { Sequence: { id: 'B', type_id: 1 } },
        special2('[SEP]'),
      ],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  });
}

const special2 = (id: string) => ({ SpecialToken: { id, type_id: 0 } });

/** `last_hidden_state = Gather(rows, input_ids)`. */
const tinyNetwork = (): Buffer =>
  onnxFile({
    rows: ROWS,
    nodes: [node('Gather', ['rows', 'input_ids'], 'last_hidden_state')],
    output: value('last_hidden_state', FLOAT, ['batch', 'sequence', WIDTH]),
  });

/** `logits = ReduceMax(Gather(rows, input_ids), axis 1)`; only the row of "king" is positive. */
const tinyClassifier = (): Buffer =>
  onnxFile({
    rows: WORDS.map((word) => [word === 'king' ? 4 : -4]),
    nodes: [
      node('Gather', ['rows', 'input_ids'], 'weights'),
      node('ReduceMax', ['weights'], 'logits', integers('axes', [1]), integer('keepdims', 0)),
    ],
    output: value('logits', FLOAT, ['batch', 1]),
  });

interface Network {
  readonly rows: readonly (readonly number[])[];
  readonly nodes: readonly Buffer[];
  readonly output: Buffer;
}

/** Encodes an ONNX file (a protocol buffer) with a table of rows; some of its inputs may be unused. */
function onnxFile({ rows, nodes, output }: Network): Buffer {
  const width = rows[0]?.length ?? 0;
  const weights = Buffer.alloc(rows.length * width * 4);
  for (const [index, number] of rows.flat().entries()) weights.writeFloatLE(number, index * 4);
  const table = message(varint(1, rows.length), varint(1, width), varint(2, FLOAT), text(8, 'rows'), bytes(9, weights));
  const graph = message(
    ...nodes.map((each) => bytes(1, each)),
    text(2, 'tiny'),
    bytes(5, table),
    ...['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
      bytes(11, value(name, INT64, ['batch', 'sequence'])),
    ),
    bytes(12, output),
  );
  return message(varint(1, 8), text(2, 'citewell-test'), bytes(7, graph), bytes(8, message(varint(2, 13))));
}

const node = (operation: string, inputs: readonly string[], output: string, ...attributes: readonly Buffer[]): Buffer =>
  message(
    ...inputs.map((name) => text(1, name)),
    text(2, output),
    text(4, operation),
    ...attributes.map((attribute) => bytes(5, attribute)),
  );

const integer = (name: string, number: number): Buffer => message(text(1, name), varint(3, number), varint(20, 2));
const integers = (name: string, numbers: readonly number[]): Buffer =>
  message(text(1, name), ...numbers.map((number) => varint(8, number)), varint(20, 7));

const FLOAT = 1;
const INT64 = 7;

function value(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dimensions = shape.map((size) => bytes(1, message(typeof size === 'string' ? text(2, size) : varint(1, size))));
  const tensor = message(varint(1, type), bytes(2, message(...dimensions)));
  return message(text(1, name), bytes(2, message(bytes(1, tensor))));
}

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);
const varint = (field: number, number: number): Buffer => Buffer.concat([count(field * 8), count(number)]);
const text = (field: number, content: string): Buffer => bytes(field, Buffer.from(content, 'utf8'));
const bytes = (field: number, content: Buffer): Buffer =>
  Buffer.concat([count(field * 8 + 2), count(content.length), content]);

function count(number: number): Buffer {
  const all: number[] = [];
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) all.push((rest % 128) | 128);
  return Buffer.from([...all, rest]);
}
