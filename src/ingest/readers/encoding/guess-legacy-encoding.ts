import iconv from 'iconv-lite';

/** In order of preference when two decodings are equally likely. */
const CANDIDATES = [
  'windows-1252',
  'windows-1251',
  'cp866',
  'koi8-r',
  'windows-1250',
  'shift_jis',
  'gb18030',
  'euc-kr',
  'euc-jp',
  'big5',
  'windows-1253',
  'windows-1255',
  'windows-1256',
  'windows-874',
  'cp850',
] as const;

/**
 * The most likely legacy encoding of some bytes. Decodes with every candidate and scores the words of the result: one
 * script per word, lower case inside, frequent letters, no stray symbols.
 */
export function guessLegacyEncoding(sample: Uint8Array): string {
  const buffer = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength);
  let best = { encoding: 'windows-1252', score: Number.NEGATIVE_INFINITY };
  for (const encoding of CANDIDATES) {
    const score = likelihood(iconv.decode(buffer, encoding));
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
}

const WORD = /[\p{L}\p{M}]*[^\p{ASCII}\P{L}][\p{L}\p{M}]*/gu;
const STRAY =
  /[\ufffd\u0080-\u009f\u2500-\u25ff\ue000-\uf8ff\uff61-\uff9f\u00a4\u00a6\u00a8\u00ac\u00b8\u02c7\u02d8-\u02dd]/gu;
/** Symbols that occur in real texts of these encodings. */
const ODD_SYMBOL = /[\u00a1-\u00bf\u00d7\u00f7\u2020-\u2022\u2030\u20ac\u2122\u2116]/gu;

/** Mean plausibility of a non-ASCII character. */
function likelihood(text: string): number {
  let score = 0;
  let characters = 0;
  for (const [word] of text.matchAll(WORD)) {
    for (const letter of word) {
      if (letter <= '\u007f') continue;
      characters++;
    }
    score += wordScore(word);
  }
  const strayCount = text.match(STRAY)?.length ?? 0;
  const odd = text.match(ODD_SYMBOL)?.length ?? 0;
  // Undecodable bytes practically rule out an encoding.
  const undecodable = text.match(/\ufffd/g)?.length ?? 0;
  characters += strayCount + odd;
  return characters === 0 ? 0 : (score - 3 * strayCount - 10 * undecodable - 0.3 * odd) / characters;
}

/** The most frequent characters of Chinese text (about a third of it), simplified and traditional. */
const FREQUENT_HAN =
  '的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长' +
  '這來國個說們為時會過對裡後還發當無開見經頭動兩長分九月本日';

const SCRIPTS: readonly { readonly script: RegExp; readonly frequent: RegExp }[] = [
  { script: /^[\p{Script=Latin}\p{M}]+$/u, frequent: /[éèêàâçäöüßáíóúñãõåæøëïîôûùìòÄÖÜÉłśćęążźčšžřěůýőűțșăı]/gu },
  { script: /^\p{Script=Cyrillic}+$/u, frequent: /[оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїєґ]/gu },
  { script: /^\p{Script=Greek}+$/u, frequent: /[αοιετσνηυρπκμλςάίόέήύώ]/gu },
  { script: /^[\p{Script=Hebrew}\p{M}]+$/u, frequent: /[והילאמרתבנש]/gu },
  { script: /^[\p{Script=Arabic}\p{M}]+$/u, frequent: /[اليمنرتوبعدسفهكقحجةى]/gu },
  { script: /^[\p{Script=Thai}\p{M}]+$/u, frequent: /[านรกอเงมยลวดตสทปคบ่้]/gu },
  {
    script: /^[\p{Script=Hangul}]+$/u,
    frequent: /[이다는에의가을를고하지로기도한사어나리시인자아해대서그있것들니라면으]/gu,
  },
  {
    script: /^[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+$/u,
    frequent: new RegExp(`[\\u3040-\\u30ff${FREQUENT_HAN}]`, 'gu'),
  },
];

function wordScore(word: string): number {
  const foreign = word.replace(/[ -~]/g, '');
  const form = SCRIPTS.find(({ script }) => script.test(word));
  // Letters of two scripts in one word indicate a wrong decoding.
  if (form === undefined) return -2 * foreign.length;
  const frequent = word.match(form.frequent)?.length ?? 0;
  let score = 0.4 * foreign.length + 0.6 * Math.min(frequent, foreign.length);
  // Upper case after lower case, as in KOI8 read as Windows-1251.
  score -= (word.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0) * 1.5;
  // A long word of accented letters only is Cyrillic or Greek read as Latin.
  if (/^[\p{Script=Latin}]+$/u.test(word) && word.length > 3 && foreign.length > word.length / 2)
    score -= 2 * foreign.length;
  return score;
}
