const encoder = new TextEncoder();

/** Upper estimate of a text's tokens from its bytes, for limits where too low an estimate would cause an error. */
export function maxTokens(text: string): number {
  let bytes = text.length;
  if (!/^[\0-\x7f]*$/.test(text)) bytes = encoder.encode(text).length;
  return Math.ceil(bytes / 3.5);
}

/** Truncates a text to at most that many tokens by the upper estimate. Never cuts within a character. */
export function cutToTokens(text: string, tokens: number): string {
  const estimate = maxTokens(text);
  if (estimate <= tokens) return text;
  let cut = text;
  for (let size = estimate; size > tokens; size = maxTokens(cut)) {
    cut = cutToLength(cut, Math.floor((cut.length * tokens) / size));
  }
  return cut;
}

export const firstHalf = (text: string): string => cutToLength(text, Math.ceil(text.length / 2));

function cutToLength(text: string, length: number): string {
  const endsInPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, endsInPair ? length - 1 : length);
}
