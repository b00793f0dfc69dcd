import type { Span } from '../../citations/citation.ts';

// Anaphoric words at the start of a sentence.
const ANAPHOR =
  /^["“„«(]?(?:(?:he|she|it|they|his|her|its|their|this|these|that|those|such|here|there|er|sie|es|dies|diese[rsmn]?|il|elle|ils|elles|ce|cela|ella|él|ellos|esto|este|esta)(?![\p{L}\p{N}])|[他她它这那該该其此]|彼|彼女|それ|これ|そこ)/iu;
const MAX_COMBINED_LENGTH = 500;

/** Prepends the sentence before the quote when the quote opens with a word such as "He" that refers back. */
export function withAntecedent<Quote extends Span>(quote: Quote, text: string, sentences: readonly Span[]): Quote {
  const before = sentences[sentences.findIndex(({ start }) => start === quote.start) - 1];
  if (before === undefined || !ANAPHOR.test(text.slice(quote.start, quote.end))) return quote;
  // References do not cross paragraphs.
  const isSameParagraph = !/\n\s*\n/.test(text.slice(before.end, quote.start));
  return isSameParagraph && quote.end - before.start <= MAX_COMBINED_LENGTH ? { ...quote, start: before.start } : quote;
}
