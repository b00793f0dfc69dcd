const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ية', 'ه', 'ة', 'ي'];

/** Letters that must be left of a word. */
const MIN_AFTER_CONJUNCTION = 3;
const MIN_STEM = 2;

/**
 * An Arabic word without its article, conjunction and most frequent endings; `word` is folded. This is light10 of L. S.
 * Larkey, L. Ballesteros and M. E. Connell, "Light Stemming for Arabic Information Retrieval" (2007).
 */
export function arabicStem(word: string): string {
  let stem = word.startsWith('و') && word.length > MIN_AFTER_CONJUNCTION ? word.slice(1) : word;
  const article = ARTICLES.find((each) => stem.startsWith(each) && stem.length - each.length >= MIN_STEM);
  if (article !== undefined) stem = stem.slice(article.length);
  for (const suffix of SUFFIXES) {
    if (stem.endsWith(suffix) && stem.length - suffix.length >= MIN_STEM) stem = stem.slice(0, -suffix.length);
  }
  return stem;
}
