import { decideCategory } from './category-votes.ts';
import type { SubjectMention } from './gather-subjects.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { Subject } from './mention-candidate.ts';
import { isKnownPredicate } from './relation-words.ts';

/** A relation between two subjects that a sentence states. */
export interface Statement {
  readonly subject: Subject;
  readonly predicate: string;
  readonly object: Subject;
  /** Index of the sentence in the document. */
  readonly sentence: number;
}

export type StatementDraft = Pick<Statement, 'subject' | 'predicate' | 'object'>;

/** Whether the categories of subject and object are plausible for the predicate. */
export function isPlausible({ subject, predicate, object }: StatementDraft): boolean {
  if (subject === object) return false;
  // Terms are frequent, so only reliable statements about them are used.
  const terms = [subject, object].filter(({ kind }) => kind === 'term').length;
  if (terms > 0 && !isKnownPredicate(predicate) && (terms === 2 || predicate.includes('_'))) return false;
  const of = categoryOf(subject);
  const to = categoryOf(object);
  switch (predicate) {
    case 'works_for':
      return (of === 'person' || of === null) && (to === 'organization' || to === null);
    case 'born_in':
    case 'died_in':
      return (of === 'person' || of === null) && (to === 'place' || to === 'date' || to === null);
    case 'located_in':
      return of !== 'person' && of !== 'date' && (to === 'place' || to === 'organization' || to === null);
    case 'is_a':
      return to !== 'person' && to !== 'place' && to !== 'date' && of !== 'date';
    default:
      return of !== 'date';
  }
}

/** The category that most mentions of the subject suggest; null if there is none. */
export const categoryOf = ({ votes, kind }: Subject): string | null =>
  kind === 'date' ? 'date' : decideCategory(votes);

/** Whether a comma between the two makes them one place, as in `Ghent, Belgium`. */
export const isCityAndCountry = (first: SubjectMention, second: SubjectMention, gazetteer: Gazetteer): boolean =>
  gazetteer.get(second.candidate.text.toLowerCase()) === 'country' &&
  gazetteer.get(first.candidate.text.toLowerCase()) !== 'country' &&
  first.candidate.kind === 'name' &&
  (categoryOf(first.subject) === 'place' || categoryOf(first.subject) === null);
