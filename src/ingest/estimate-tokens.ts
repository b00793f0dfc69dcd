const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const OTHER_SCRIPT =
  /[^\p{ASCII}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\s]/gu;

/**
 * About how many tokens a language model counts in a text, without its tokenizer: four characters of Latin text, 2.5 of
 * other alphabets or one East Asian character make a token.
 */
export function estimateTokens(text: string): number {
  const eastAsian = text.match(EAST_ASIAN)?.length ?? 0;
  const other = text.match(OTHER_SCRIPT)?.length ?? 0;
  return Math.ceil((text.length - eastAsian - other) / 4 + other / 2.5 + eastAsian);
}
