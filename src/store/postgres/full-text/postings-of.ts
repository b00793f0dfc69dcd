import type { Posting } from './posting-blocks.ts';

/** A row of a full-text index. */
export interface Entry {
  readonly key: number;
  /** Terms, separated by spaces. */
  readonly title: string;
  readonly body: string;
}

/** The postings of some entries. */
export interface Postings {
  /** In ascending order of keys. */
  readonly byTerm: ReadonlyMap<string, Posting[]>;
  /** Terms of each entry, by its key. */
  readonly lengths: ReadonlyMap<number, number>;
}

export function postingsOf(entries: readonly Entry[]): Postings {
  const byTerm = new Map<string, Posting[]>();
  const lengths = new Map<number, number>();
  for (const { key, title, body } of [...entries].sort((one, two) => one.key - two.key)) {
    const counts = new Map<string, { title: number; body: number }>();
    const count = (terms: readonly string[], column: 'title' | 'body') => {
      for (const term of terms) {
        const known = counts.get(term) ?? { title: 0, body: 0 };
        known[column]++;
        counts.set(term, known);
      }
      return terms.length;
    };
    const length = count(split(title), 'title') + count(split(body), 'body');
    lengths.set(key, length);
    for (const [term, occurrences] of counts) {
      const posting = { key, ...occurrences, length };
      const others = byTerm.get(term);
      if (others === undefined) byTerm.set(term, [posting]);
      else others.push(posting);
    }
  }
  return { byTerm, lengths };
}

const split = (terms: string): string[] => (terms === '' ? [] : terms.split(' '));
