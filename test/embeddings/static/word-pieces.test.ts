import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rememberWords, wordPieces } from '../../../src/embeddings/static/word-pieces.ts';

it('caches words without retaining the texts they come from', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  let encoded = 0;
  const encode = rememberWords((word) => {
    encoded++;
    return [word.length];
  });
  const before = used();
  for (const letter of 'abcdefgh') {
    const text = `${letter.repeat(20)}é ${' '.repeat(1_000_000)}`;
    for (const word of [...text.split(/\s+/u), ...text.split(/\s+/u)]) expect(encode(word)).toEqual([word.length]);
  }
  expect(used() - before).toBeLessThan(4_000_000);
  expect(encoded).toBe(9);
});

it('encodes words of ASCII as the tokenizer does', async () => {
  const file = new URL('../../../src/embeddings/static/static-v1.vocab.txt', import.meta.url);
  const vocabulary = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const tokenizer = new Tokenizer(
    {
      added_tokens: [],
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(vocabulary.map((token, at) => [token, at])),
      },
    },
    {},
  );
  const unknown = vocabulary.indexOf('[UNK]');
  const encode = await wordPieces(vocabulary);
  const expectSame = (word: string) => {
    const expected = tokenizer.encode(word, { add_special_tokens: false }).ids.filter((id: number) => id !== unknown);
    expect(encode(word)).toEqual(expected);
  };
  const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'), maxLength: 120 });
  const printable = fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)) });
  const parts = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 }).map((some) => some.join(''));
  // Capitals within a word and underscores separate words before they are encoded.
  const word = fc.oneof(letters, printable, parts).map((each) => each.toLowerCase().replaceAll('_', '-'));
  fc.assert(fc.property(word, expectSame), { numRuns: 300 });
  expect(encode('unbelievable')).not.toEqual([]);
  expect(encode('Harbour')).toEqual(encode('harbour'));
});
