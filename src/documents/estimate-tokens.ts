// Characters to a token, as common tokenizers average: about four in alphabetic scripts, about one in scripts without
// spaces between words.
const PER_TOKEN = 4;
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** About how many tokens a model reads in this text; an estimate that needs no tokenizer of any provider. */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / PER_TOKEN);
}
