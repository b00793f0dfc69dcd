import type { Tokenizer } from '@huggingface/tokenizers';

/** The tokens of a text, as positions in the vocabulary. */
export type EncodeWords = (text: string) => readonly number[];

const UNKNOWN = '[UNK]';
/** Size of the cache of encoded words, which are often repeated in natural text. */
const MAX_KNOWN_WORDS = 50_000;
const MAX_KNOWN_LENGTH = 64;
/** Longer words are unknown. */
const MAX_WORD_LENGTH = 100;
const CONTINUED = '##';

/** BERT's uncased WordPiece tokenizer with this vocabulary, without special tokens and unknown words. */
export async function wordPieces(vocabulary: readonly string[]): Promise<EncodeWords> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const unknown = vocabulary.indexOf(UNKNOWN);
  const positions = new Map(vocabulary.map((token, at) => [token, at]));
  const encodePlain = plainWordPieces(
    (piece) => positions.get(piece),
    vocabulary.reduce((max, token) => Math.max(max, token.length), 0),
  );
  // Made for the first word that is not plain, because that takes a third of the time of loading the model.
  let tokenizer: Tokenizer | undefined;
  const encodeWord = rememberWords((word) => {
    if (PLAIN_WORD.test(word)) return encodePlain(word);
    tokenizer ??= new Tokenizer(tokenizerOf(vocabulary), {});
    return tokenizer.encode(word, { add_special_tokens: false }).ids.filter((id: number) => id !== unknown);
  });
  return (text) => separateWords(text).flatMap(encodeWord);
}

const tokenizerOf = (vocabulary: readonly string[]) => ({
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
    unk_token: UNKNOWN,
    continuing_subword_prefix: CONTINUED,
    max_input_chars_per_word: MAX_WORD_LENGTH,
    vocab: Object.fromEntries(vocabulary.map((token, at) => [token, at])),
  },
});

/** Printable ASCII: the only normalisation needed is lower case, and all but letters and digits is punctuation. */
const PLAIN_WORD = /^[!-~]+$/;

/**
 * WordPiece for plain words, faster than the tokenizer: greedily takes the longest token that begins a part of the
 * word, then the longest that continues it. A part that cannot be split entirely into tokens is unknown.
 */
function plainWordPieces(tokenOf: (piece: string) => number | undefined, longest: number): EncodeWords {
  const piecesOf = (part: string): readonly number[] => {
    const pieces: number[] = [];
    for (let start = 0; start < part.length; ) {
      const prefix = start === 0 ? '' : CONTINUED;
      let end = Math.min(part.length, start + longest);
      let token: number | undefined;
      for (; end > start && token === undefined; end--) token = tokenOf(prefix + part.slice(start, end));
      if (token === undefined) return [];
      pieces.push(token);
      start = end + 1;
    }
    return pieces;
  };
  return (word) =>
    (word.toLowerCase().match(/[a-z0-9]+|[^a-z0-9]/g) ?? []).flatMap((part) =>
      part.length > MAX_WORD_LENGTH ? [] : piecesOf(part),
    );
}

/** Caches the encoding of each word; the cache is cleared when it is full. */
export function rememberWords(encode: EncodeWords): EncodeWords {
  const known = new Map<string, readonly number[]>();
  return (word) => {
    if (word.length > MAX_KNOWN_LENGTH) return encode(word);
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= MAX_KNOWN_WORDS) known.clear();
    const ids = encode(word);
    // Copied, because a substring keeps the whole text in memory.
    known.set(Buffer.from(word, 'utf16le').toString('utf16le'), ids);
    return ids;
  };
}

// Identifiers such as `readFile` or `read_file` are split into words.
const separateWords = (text: string): string[] => text.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1 ').split(/[\s_]+/u);
