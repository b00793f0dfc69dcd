// Scripts without spaces between words: about one token per character.
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const SPACED =
  /[^\p{ASCII}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\s]/gu;

/**
 * Estimates the number of tokens of a text without the model's tokenizer: four characters of Latin text, 2.5 of other
 * alphabets, or one of a script without spaces make a token.
 */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  const other = text.match(SPACED)?.length ?? 0;
  return Math.ceil((text.length - dense - other) / 4 + other / 2.5 + dense);
}
