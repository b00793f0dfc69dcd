export const search = {
  title: 'Search',
  query: 'What to look for',
  kind: 'Kind of search',
  kinds: {
    auto: 'Automatic',
    hybrid: 'By meaning and words',
    semantic: 'By meaning',
    full_text: 'By words',
  },
  limit: 'Per page',
  begin: 'Shows matching passages from your documents, and how each was found.',
  nothing: 'Nothing found. Try other words or fewer filters.',
  noMore: 'No more results.',
  /** Of a page of results, which does not tell how many there are in all unless it is the only one. */
  found: (count: number, first: number, isOnlyPage: boolean) =>
    count === 0 || isOnlyPage
      ? `${count} ${count === 1 ? 'passage' : 'passages'}`
      : count === 1
        ? `Passage ${first}`
        : `Passages ${first}–${first + count - 1}`,
  page: (page: number) => `Page ${page}`,
  more: 'Show the whole passage',
  less: 'Show less',
  milliseconds: (count: number) => `${count < 10 ? count.toFixed(1) : Math.round(count)} ms`,
  filters: 'Filters',
  filtersChosen: (count: number) => (count === 0 ? 'Filters' : `Filters (${count})`),
  clearFilters: 'Clear filters',
  types: 'Type',
  collections: 'Collection',
  legs: (semantic: { readonly rank: number } | null, fullText: { readonly rank: number } | null): string => {
    const [meaning, words] = [
      semantic && `by meaning (rank ${semantic.rank})`,
      fullText && `by words (rank ${fullText.rank})`,
    ];
    const found = [meaning, words].filter((each) => each !== null);
    return found.length === 0 ? 'Found next to another passage.' : `Found ${found.join(' and ')}.`;
  },
  reranked: (before: number) => `Moved by the reranker from rank ${before}.`,
  score: (score: number) => `Score ${score.toFixed(3)}`,
  byMeaning: 'By meaning',
  byWords: 'By words',
  legFound: (count: number, embedder: string) => `${count.toLocaleString('en')} passages, by ${embedder}`,
  wordsFound: (count: number, terms: readonly string[]) =>
    `${count.toLocaleString('en')} passages${terms.length === 0 ? '' : `, for ${terms.join(', ')}`}`,
  reranker: 'Reranker',
  corrections: 'Corrected spelling',
  time: 'Time',
};
