/** A term with its number of rows or occurrences. */
export interface CountedTerm {
  readonly term: string;
  readonly count: number;
}

/** Maximum terms per search; the rarest ones determine nearly all of the ranking. */
export const MAX_TERMS = 300;
/** FTS5 checks each term of an `OR` at each row that contains any of them: some 50 ns per term and row. */
const MAX_COMPARISONS = 3_000_000;

/** The rarest terms, as many as FTS5 can search for in bounded time; at least one. */
export function chooseTerms(counted: readonly CountedTerm[]): string[] {
  const known = counted.filter(({ count }) => count > 0).sort((one, two) => one.count - two.count);
  const chosen: string[] = [];
  let rows = 0;
  for (const { term, count } of known.slice(0, MAX_TERMS)) {
    rows += count;
    if (chosen.length > 0 && rows * (chosen.length + 1) > MAX_COMPARISONS) break;
    chosen.push(term);
  }
  return chosen;
}

/** An FTS5 expression that matches any of the terms. */
export const matchAny = (terms: readonly string[]): string =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR ');
