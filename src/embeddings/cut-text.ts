const encoder = new TextEncoder();

/** Tokens a text will hardly exceed, guessed from its bytes: for limits, where too few would be an error. */
export function mostTokens(text: string): number {
  let bytes = text.length;
  if (!/^[\0-\x7f]*$/.test(text)) bytes = encoder.encode(text).length;
  return Math.ceil(bytes / 3.5);
}

/** The beginning of a text that by our guess has no more than that many tokens. Never ends within a character. */
export function cutToTokens(text: string, tokens: number): string {
  const estimate = mostTokens(text);
  if (estimate <= tokens) return text;
  let cut = text;
  for (let size = estimate; size > tokens; size = mostTokens(cut)) {
    cut = cutToLength(cut, Math.floor((cut.length * tokens) / size));
  }
  return cut;
}

export const halve = (text: string): string => cutToLength(text, Math.ceil(text.length / 2));

function cutToLength(text: string, length: number): string {
  const endsInPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, endsInPair ? length - 1 : length);
}
