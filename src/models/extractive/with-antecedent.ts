import type { Span } from '../../citations/citation.ts';

// Words that point back when they open a sentence.
const POINTS_BACK =
  /^["“„«(]?(?:(?:he|she|it|they|his|her|its|their|this|these|that|those|such|here|there|er|sie|es|dies|diese[rsmn]?|il|elle|ils|elles|ce|cela|ella|él|ellos|esto|este|esta)(?![\p{L}\p{N}])|[他她它这那該该其此]|彼|彼女|それ|これ|そこ)/iu;
const MAX_COMBINED_LENGTH = 500;

/** The quote with the sentence before it when it opens with a word like "He" that the sentence before explains. */
export function withAntecedent<Quote extends Span>(quote: Quote, text: string, sentences: readonly Span[]): Quote {
  const before = sentences[sentences.findIndex(({ start }) => start === quote.start) - 1];
  if (before === undefined || !POINTS_BACK.test(text.slice(quote.start, quote.end))) return quote;
  // Across a blank line the word would point to nothing.
  const isSameParagraph = !/\n\s*\n/.test(text.slice(before.end, quote.start));
  return isSameParagraph && quote.end - before.start <= MAX_COMBINED_LENGTH ? { ...quote, start: before.start } : quote;
}
