import type { SubjectMention } from './gather-subjects.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { Subject } from './mention-candidate.ts';
import { type RelationPhrase, readGap } from './read-gap.ts';
import { predicateOfVerb, predicateWith } from './relation-words.ts';
import type { Sentence } from './sentence.ts';
import { categoryOf, isCityAndCountry, isPlausible, type StatementDraft } from './statement.ts';
import { type Token, wordsOf } from './tokens.ts';

export interface EnglishContext {
  readonly gazetteer: Gazetteer;
  /** Whether the subject is significant on its own; other terms count only as the object of `X is a Y`. */
  isSignificantAlone(subject: Subject): boolean;
  /** The mention that a pronoun at the beginning of the sentence may refer to. */
  readonly earlier: SubjectMention | undefined;
}

/** Statements of an English sentence about these mentions, which are in order. */
export function relateEnglish(
  { tokens }: Sentence,
  all: readonly SubjectMention[],
  { earlier, gazetteer, isSignificantAlone }: EnglishContext,
): StatementDraft[] {
  const placed = all.filter(({ subject }) => subject.kind === 'date' || isSignificantAlone(subject));
  const reading = new EnglishReading(tokens, gazetteer, referredTo(tokens, earlier));
  for (const [place, current] of placed.entries()) reading.read(placed[place - 1], current);
  return [...reading.statements, ...definitionsIn(tokens, all, reading.carried, isSignificantAlone)];
}

/** Two mentions next to each other, and the words between them. */
interface Pair {
  readonly before: SubjectMention;
  readonly current: SubjectMention;
  readonly words: string;
}

/** The statements of the last relation, to which further subjects or objects may be attached. */
interface Stated {
  readonly drafts: readonly StatementDraft[];
  readonly isReversed: boolean;
  readonly verb?: string | undefined;
  /** The verb is passive, and no agent has been read yet. */
  readonly isPassive?: boolean | undefined;
}

const AND = /^(?:,|and|or|&|, and|, or)$/;
const SUCH_AS = /^,? ?such as$/;
const AGENT = /^by(?: (?:the|a|an))?(?: \p{L}+){0,2}$/u;
const FURTHER_OBJECT = /^(?:in|on|at|from|to|with|since|until)(?: the)?$/;

/** Reads a sentence from mention to mention. */
class EnglishReading {
  readonly statements: StatementDraft[] = [];
  /** Subject of the sentence, which later clauses continue. */
  carried: SubjectMention | undefined;
  readonly #tokens: readonly Token[];
  readonly #gazetteer: Gazetteer;
  /** Mentions joined by `and` that may be the subjects of the next verb. */
  #group: SubjectMention[] = [];
  #last: Stated | undefined;
  #first: SubjectMention | undefined;

  constructor(tokens: readonly Token[], gazetteer: Gazetteer, carried: SubjectMention | undefined) {
    this.#tokens = tokens;
    this.#gazetteer = gazetteer;
    this.carried = carried;
  }

  /** Reads the next mention; `before` is the one before it in the sentence. */
  read(before: SubjectMention | undefined, current: SubjectMention): void {
    this.#first ??= current;
    const gap = this.#tokens.slice(
      before?.candidate.to ?? referenceLength(this.#tokens, this.carried),
      current.candidate.from,
    );
    const pair = before && { before, current, words: wordsOf(gap) };
    if (pair && (this.#isOnePlace(pair) || this.#isListed(pair))) return;
    const first = before ?? this.carried;
    if (pair && this.#isExample(pair)) return;
    const link = first && this.#linkOf(gap, first, before);
    if (first !== undefined && link !== undefined)
      this.#stateLink(link, this.#subjectsOf(link, first, before), current);
    else if (pair) this.#readPlainly(pair, gap);
    else this.#beginAgain(current);
  }

  #isOnePlace({ before, current, words }: Pair): boolean {
    if (words !== ',' || !isCityAndCountry(before, current, this.#gazetteer)) return false;
    this.statements.push({ subject: before.subject, predicate: 'located_in', object: current.subject });
    return true;
  }

  /** `and` continues the objects of the last relation, or the subjects of the next. */
  #isListed({ before, current, words }: Pair): boolean {
    if (!AND.test(words)) return false;
    const drafts = this.#last?.drafts ?? [];
    if (drafts.length === 0) this.#group.push(current);
    this.#say(drafts.map((draft) => replaceSide(draft, before.subject, current.subject)));
    return true;
  }

  /** `ferries such as the Skerry`. */
  #isExample({ before, current, words }: Pair): boolean {
    if (!SUCH_AS.test(words) || !before.candidate.text.endsWith('s')) return false;
    this.#last = { drafts: this.#state([before], current, { predicate: 'is_a', isReversed: true }), isReversed: true };
    return true;
  }

  #linkOf(
    gap: readonly Token[],
    first: SubjectMention,
    before: SubjectMention | undefined,
  ): RelationPhrase | undefined {
    if (isConditional(this.#tokens, first.candidate.from)) return undefined;
    const link = readGap(gap);
    if (!link?.isOfSubject || before === undefined) return link;
    const doer = this.#group.includes(before) ? (this.#group[0] ?? first) : first;
    return isInPhrase(this.#tokens, doer) ? undefined : link;
  }

  #subjectsOf(
    { isInherited }: RelationPhrase,
    first: SubjectMention,
    before: SubjectMention | undefined,
  ): readonly SubjectMention[] {
    if (isInherited) return this.carried ? [this.carried] : [];
    return before !== undefined && this.#group.includes(before) ? this.#group : [first];
  }

  #stateLink(link: RelationPhrase, subjects: readonly SubjectMention[], current: SubjectMention): void {
    const { isReversed, isInherited, verb, isPassive } = link;
    const isChain = isInherited && this.carried === undefined && this.#last?.drafts[0] !== undefined;
    if (!isChain) this.#last = { drafts: this.#state(subjects, current, link), isReversed, verb, isPassive };
    this.carried = subjects === this.#group ? subjects[0] : (this.carried ?? subjects[0]);
    this.#group = [current];
  }

  /** Mentions with no relation of their own between them: beside each other, or a further object of the last verb. */
  #readPlainly({ before, current, words }: Pair, gap: readonly Token[]): void {
    const found = besideEachOther(before, current, words);
    const { verb, isReversed, isPassive, drafts } = this.#last ?? {};
    const patient = drafts?.[0]?.subject;
    if (found) this.statements.push(found);
    else if (verb !== undefined && isPassive && patient && isAgent(current, words, gap)) {
      const predicate = predicateOfVerb(verb);
      this.#last = { drafts: this.#say([{ subject: current.subject, predicate, object: patient }]), isReversed: true };
      this.#group = [current];
    } else if (verb !== undefined && !isReversed && FURTHER_OBJECT.test(words)) {
      const predicate = predicateWith(verb, gap[0]?.lower ?? 'in');
      this.#say((drafts ?? []).slice(0, 1).map((draft) => ({ ...draft, predicate, object: current.subject })));
    } else this.#beginAgain(current);
    this.carried ??= this.#first;
  }

  #beginAgain(current: SubjectMention): void {
    this.#last = undefined;
    this.#group = [current];
  }

  #state(
    subjects: readonly SubjectMention[],
    { subject: object }: SubjectMention,
    { predicate, isReversed }: Pick<RelationPhrase, 'predicate' | 'isReversed'>,
  ): StatementDraft[] {
    return this.#say(
      subjects.map(({ subject }) =>
        isReversed ? { subject: object, predicate, object: subject } : { subject, predicate, object },
      ),
    );
  }

  #say(drafts: readonly StatementDraft[]): StatementDraft[] {
    const fitting = drafts.filter(isPlausible);
    this.statements.push(...fitting);
    return fitting;
  }
}

/** `by Anna Berg`, `by the engineer Joseph Strauss`, but not `by 1990` or `by selling`. */
const isAgent = ({ candidate }: SubjectMention, words: string, gap: readonly Token[]): boolean =>
  candidate.kind === 'name' && AGENT.test(words) && gap.every(({ tag }) => tag !== 'verb' && tag !== 'adverb');

/** Finds `X is a Y` if Y is not significant on its own and counts as a term only because of this sentence. */
function definitionsIn(
  tokens: readonly Token[],
  all: readonly SubjectMention[],
  carried: SubjectMention | undefined,
  isSolid: (subject: Subject) => boolean,
): StatementDraft[] {
  return all.flatMap((current, place) => {
    if (current.subject.kind !== 'term' || isSolid(current.subject)) return [];
    const before = all[place - 1];
    const isList = before?.subject.kind === 'term' && place > 1;
    let first = before ?? carried;
    let from = before?.candidate.to ?? referenceLength(tokens, carried);
    if (isList) {
      from = all[place - 2]?.candidate.to ?? 0;
      const between = wordsOf(tokens.slice(before.candidate.to, current.candidate.from));
      if (AND.test(between)) first = all[place - 2];
    }
    if (first === undefined) return [];
    const gap = tokens.slice(from, current.candidate.from);
    const own = isList && first !== before ? tokens.slice(from, before?.candidate.from) : gap;
    // `a close friend of` is a relation, not a kind.
    const isRelation = /^(?:of|to|with)$/.test(tokens[current.candidate.to]?.lower ?? '');
    if (isRelation || readGap(own)?.predicate !== 'is_a') return [];
    if (before !== undefined && isInPhrase(tokens, first)) return [];
    return [{ subject: first.subject, predicate: 'is_a', object: current.subject }].filter(isPlausible);
  });
}

/** Whether the mention is inside a prepositional phrase: in `the mayor of Oslo met`, Oslo is not the verb's subject. */
function isInPhrase(tokens: readonly Token[], { candidate, subject }: SubjectMention): boolean {
  let at = candidate.from - 1;
  while (
    at >= 0 &&
    (/^(?:the|a|an|his|her|its|their)$/.test(tokens[at]?.lower ?? '') ||
      tokens[at]?.tag === 'adjective' ||
      (subject.kind === 'name' && tokens[at]?.tag === 'noun'))
  )
    at--;
  const before = tokens[at];
  return (
    before?.kind === 'word' &&
    /^(?:of|in|at|for|from|by|with|on|to|into|near|against|between|under|over|through|as|than|about|after|before|during)$/.test(
      before.lower,
    )
  );
}

/** Whether the clause is conditional or denied: `if Acme founded…` states nothing. */
function isConditional(tokens: readonly Token[], at: number): boolean {
  for (let place = at - 1; place >= 0 && at - place < 12; place--) {
    const { text, lower } = tokens[place] ?? { text: ',', lower: ',' };
    if (/^(?:if|whether|unless|nobody|never|deny|denied|denies|rumoured|allegedly|wrongly|falsely)$/.test(lower))
      return true;
    if (/^[,;:]$/.test(text)) return false;
  }
  return false;
}

/** Relations of adjacent mentions: `Ghent, Belgium`, `Acme in Oslo`, `Jane Roe of Acme`. */
function besideEachOther(first: SubjectMention, second: SubjectMention, words: string): StatementDraft | undefined {
  const of = categoryOf(first.subject);
  const to = categoryOf(second.subject);
  const statement = (predicate: string): StatementDraft => ({
    subject: first.subject,
    predicate,
    object: second.subject,
  });
  const isLocated =
    (of === 'place' && /^(?:,|in|, in)$/.test(words)) || (of === 'organization' && /^(?:in|of|, in)$/.test(words));
  if (to === 'place' && isLocated) return statement('located_in');
  if (of === 'person' && to === 'organization' && /^(?:of|from|at)$/.test(words)) return statement('works_for');
  return undefined;
}

const replaceSide = (statement: StatementDraft, from: Subject, to: Subject): StatementDraft =>
  statement.object === from
    ? { ...statement, object: to }
    : { ...statement, subject: statement.subject === from ? to : statement.subject };

const NOUN_OF_REFERENCE =
  /^(?:company|firm|group|organization|organisation|institute|university|bank|agency|party|ship|ferry|vessel|museum|city|town|island|river|book|novel|film|treaty|law|product|device|project|system)$/;

/** The antecedent of `She`, `It` or `The company` at the beginning of a sentence, if it is clear. */
function referredTo(tokens: readonly Token[], earlier: SubjectMention | undefined): SubjectMention | undefined {
  if (earlier === undefined || earlier.candidate.kind !== 'name') return undefined;
  const first = tokens[0]?.lower ?? '';
  const category = categoryOf(earlier.subject);
  if (first === 'he' || first === 'she') return category === 'person' ? earlier : undefined;
  if (first === 'it') return category !== 'person' && category !== 'date' ? earlier : undefined;
  return first === 'the' && NOUN_OF_REFERENCE.test(tokens[1]?.lower ?? '') && category !== 'person'
    ? earlier
    : undefined;
}

const referenceLength = (tokens: readonly Token[], carried: SubjectMention | undefined): number =>
  carried === undefined ? 0 : tokens[0]?.lower === 'the' ? 2 : 1;
