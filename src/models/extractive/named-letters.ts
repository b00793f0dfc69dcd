/**
 * Single capital letters that tell one thing from others, as in "building A" or "vitamin D". The analyser drops "A" as
 * an article, and other letters weigh little. Empty for a question in title case, where "A" may be an article.
 */
export function namedLetters(question: string): readonly string[] {
  if (!/(?<!\p{L})\p{Ll}{4}/u.test(question)) return [];
  const letters = question.matchAll(/(?<=\p{L}\s+)\p{Lu}(?![\p{L}\p{M}\p{N}.'’&/+#-])/gu);
  return [...letters].map(([letter]) => letter).filter((letter) => letter !== 'I');
}

/** Whether each of the letters stands alone somewhere in the texts. */
export const containsLetters = (letters: readonly string[], texts: readonly string[]): boolean =>
  letters.every((letter) => {
    const alone = new RegExp(`(?<![\\p{L}\\p{N}'’])${letter}(?![\\p{L}\\p{M}\\p{N}'’])`, 'u');
    return texts.some((text) => alone.test(text));
  });
