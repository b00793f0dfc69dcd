import iconv from 'iconv-lite';

/** In the order of preference when two readings are equally likely. */
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
 * Which old encoding some bytes are most likely in. Every candidate is tried, and the reading wins whose words look
 * like words: one script each, lower case inside, frequent letters, no stray symbols.
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
/** Marks that real texts of these encodings hold. */
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
  const stray = text.match(STRAY)?.length ?? 0;
  const odd = text.match(ODD_SYMBOL)?.length ?? 0;
  characters += stray + odd;
  return characters === 0 ? 0 : (score - 3 * stray - 0.3 * odd) / characters;
}

const SCRIPTS: readonly { readonly script: RegExp; readonly frequent: RegExp }[] = [
  { script: /^[\p{Script=Latin}\p{M}]+$/u, frequent: /[éèêàâçäöüßáíóúñãõåæøëïîôûùìòÄÖÜÉłśćęążźčšžřěůýőűțșăı]/gu },
  { script: /^\p{Script=Cyrillic}+$/u, frequent: /[оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїєґ]/gu },
  { script: /^\p{Script=Greek}+$/u, frequent: /[αοιετσνηυρπκμλςάίόέήύώ]/gu },
  { script: /^[\p{Script=Hebrew}\p{M}]+$/u, frequent: /[והילאמרתבנש]/gu },
  { script: /^[\p{Script=Arabic}\p{M}]+$/u, frequent: /[اليمنرتوبعدسفهكقحجةى]/gu },
  { script: /^[\p{Script=Thai}\p{M}]+$/u, frequent: /[\p{Script=Thai}]/gu },
  { script: /^[\p{Script=Hangul}]+$/u, frequent: /[\p{Script=Hangul}]/gu },
  {
    script: /^[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+$/u,
    frequent: /[\u3040-\u30ff]|[的一是不了在人有我他这中大来上国個の]/gu,
  },
];

function wordScore(word: string): number {
  const foreign = word.replace(/[ -~]/g, '');
  const form = SCRIPTS.find(({ script }) => script.test(word));
  // Letters of two scripts in one word: a wrong reading.
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
