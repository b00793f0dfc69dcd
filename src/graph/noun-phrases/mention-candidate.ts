import type { CategoryVotes } from './category-votes.ts';
import type { TokenSpan } from './find-dates.ts';

/** A mention in a sentence, not yet matched with other mentions. */
export interface MentionCandidate extends TokenSpan {
  readonly kind: 'name' | 'term' | 'date';
  /** Index of its sentence in the document. */
  readonly sentence: number;
  /** Offset in the chunk. */
  readonly start: number;
  readonly end: number;
  /** The text as written, on one line. */
  readonly text: string;
  readonly form: string;
  readonly isWeak: boolean;
}

/** Mentions of the same thing. */
export interface Subject {
  readonly key: string;
  readonly kind: MentionCandidate['kind'];
  readonly votes: CategoryVotes;
  readonly mentions: MentionCandidate[];
  /** Other normal forms found to be aliases. */
  readonly otherForms: Set<string>;
}
