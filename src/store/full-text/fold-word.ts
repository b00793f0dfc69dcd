/**
 * Normalises the spelling of a word: lower case, Latin and Greek letters without their accents, Arabic and Hebrew
 * without vowel signs. Marks that distinguish letters (Devanagari, Thai…) stay. FTS5 must find nothing left to fold,
 * because its terms are looked up in this form.
 */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  if (/^[a-z0-9]*$/.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(/(?<=[\p{sc=Latn}\p{sc=Grek}])\p{Mn}+/gu, '')
    .normalize('NFC')
    .replace(/[\u0345\u0640\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '')
    .replace(/[ßæœøłđðþıςёأإآٱىک]/g, (letter) => PLAIN[letter] ?? letter);
}

const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ё: 'е',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ک: 'ك',
};
