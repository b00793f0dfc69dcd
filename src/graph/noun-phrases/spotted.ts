import type { CategoryVotes } from './category-votes.ts';
import type { TokenSpan } from './find-dates.ts';

/** Something a sentence speaks of, not yet known to be the same as what others do. */
export interface Spotted extends TokenSpan {
  readonly kind: 'name' | 'term' | 'date';
  /** Place of its sentence in the document. */
  readonly sentence: number;
  /** In the passage. */
  readonly start: number;
  readonly end: number;
  /** As written, on one line. */
  readonly text: string;
  readonly form: string;
  readonly isWeak: boolean;
}

/** Mentions that mean the same thing. */
export interface Subject {
  readonly key: string;
  readonly kind: Spotted['kind'];
  readonly votes: CategoryVotes;
  readonly mentions: Spotted[];
  /** Other normal forms that were found to mean it. */
  readonly otherForms: Set<string>;
}
