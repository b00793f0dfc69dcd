import { decideCategory } from './category-votes.ts';
import type { Gathered, Placed } from './gather-subjects.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { GraphLanguage } from './language.ts';
import type { Subject } from './mention-candidate.ts';
import { readGap } from './read-gap.ts';
import { foreignPatterns, isKnownPredicate, predicateOfVerb, predicateWith } from './relation-words.ts';
import type { Sentence } from './sentence.ts';
import type { Token } from './tokens.ts';

/** A relation between two subjects that a sentence states. */
export interface Statement {
  readonly subject: Subject;
  readonly predicate: string;
  readonly object: Subject;
  /** Index of the sentence in the document. */
  readonly sentence: number;
}

export interface RelationContext {
  readonly language: GraphLanguage;
  readonly gazetteer: Gazetteer;
  /** Whether the subject is significant on its own; other terms count only as the object of `X is a Y`. */
  isSignificantAlone(subject: Subject): boolean;
}

/** Extracts statements about a document's subjects from the words between two mentions. */
export function relate(
  sentences: readonly Sentence[],
  { inSentences }: Gathered,
  context: RelationContext,
): Statement[] {
  const statements: Statement[] = [];
  let earlier: Placed | undefined;
  for (const [place, sentence] of sentences.entries()) {
    if (sentence.style !== 'prose') continue;
    const placed = inSentences[place] ?? [];
    if (sentences[place - 1]?.chunkIndex !== sentence.chunkIndex) earlier = undefined;
    const said =
      context.language === 'en'
        ? relateEnglish(sentence, placed, { earlier, ...context })
        : relateByPatterns(sentence, placed, context);
    for (const { subject, predicate, object } of said) {
      if (subject !== object) statements.push({ subject, predicate, object, sentence: place });
    }
    earlier = said[0]
      ? (placed.find(({ subject }) => subject === said[0]?.subject) ?? earlier)
      : (placed.find(({ spotted }) => spotted.kind === 'name') ?? earlier);
  }
  return statements;
}

type StatementDraft = Pick<Statement, 'subject' | 'predicate' | 'object'>;

const AND = /^(?:,|and|or|&|, and|, or)$/;
const SUCH_AS = /^,? ?such as$/;

function relateEnglish(
  { tokens }: Sentence,
  all: readonly Placed[],
  { earlier, gazetteer, isSignificantAlone }: RelationContext & { readonly earlier: Placed | undefined },
): StatementDraft[] {
  const placed = all.filter(({ subject }) => subject.kind === 'date' || isSignificantAlone(subject));
  const said: StatementDraft[] = [];
  let carried = referredTo(tokens, earlier);
  let group: Placed[] = [];
  let last:
    | {
        readonly of: StatementDraft[];
        readonly isReversed: boolean;
        readonly verb?: string | undefined;
        readonly isPassive?: boolean | undefined;
      }
    | undefined;
  const state = (
    subjects: readonly Placed[],
    object: Placed,
    predicate: string,
    isReversed: boolean,
  ): StatementDraft[] => {
    const made = subjects
      .map(
        ({ subject }): StatementDraft =>
          isReversed
            ? { subject: object.subject, predicate, object: subject }
            : { subject, predicate, object: object.subject },
      )
      .filter(fits);
    said.push(...made);
    return made;
  };
  for (const [place, current] of placed.entries()) {
    const before = placed[place - 1];
    const gap = tokens.slice(before?.spotted.to ?? referenceLength(tokens, carried), current.spotted.from);
    const words = gap.map(({ lower }) => lower).join(' ');
    if (before !== undefined && words === ',' && isCityAndCountry(before, current, gazetteer)) {
      said.push({ subject: before.subject, predicate: 'located_in', object: current.subject });
      continue;
    }
    if (last?.isPassive && last.verb !== undefined && /^by(?: the)?$/.test(words)) {
      const [of] = last.of;
      if (of)
        said.push(
          ...[{ subject: current.subject, predicate: predicateOfVerb(last.verb), object: of.subject }].filter(fits),
        );
      continue;
    }
    if (before !== undefined && AND.test(words)) {
      if (last !== undefined && last.of.length > 0) {
        for (const each of last.of) said.push(...[replaceSide(each, before.subject, current.subject)].filter(fits));
      } else group.push(current);
      continue;
    }
    const first = before ?? carried;
    if (first === undefined) {
      group = [current];
      carried ??= undefined;
      continue;
    }
    if (before !== undefined && SUCH_AS.test(words) && before.spotted.text.endsWith('s')) {
      last = { of: state([before], current, 'is_a', true), isReversed: true };
      continue;
    }
    const read = isConditional(tokens, first.spotted.from) ? undefined : readGap(gap);
    const doer = before !== undefined && group.includes(before) ? (group[0] ?? first) : first;
    const link = read?.isOfSubject && before !== undefined && isInPhrase(tokens, doer) ? undefined : read;
    if (link !== undefined) {
      const subjects = link.isInherited
        ? carried
          ? [carried]
          : []
        : before === undefined
          ? [first]
          : group.includes(before)
            ? group
            : [before];
      const isChain = link.isInherited && last?.of[0] !== undefined && carried === undefined;
      if (!isChain)
        last = {
          of: state(subjects, current, link.predicate, link.isReversed),
          isReversed: link.isReversed,
          verb: link.verb,
        };
      carried ??= subjects[0];
      if (!link.isInherited && before !== undefined && group.includes(before)) carried = group[0];
      group = [current];
      continue;
    }
    const found = before && besideEachOther(before, current, words);
    if (found) said.push(found);
    else if (
      last?.verb !== undefined &&
      !last.isReversed &&
      /^(?:in|on|at|from|to|with|since|until)(?: the)?$/.test(words)
    ) {
      const [of] = last.of;
      if (of)
        said.push(
          ...[{ ...of, predicate: predicateWith(last.verb, gap[0]?.lower ?? 'in'), object: current.subject }].filter(
            fits,
          ),
        );
    } else {
      last = undefined;
      group = [current];
    }
    carried ??= place > 0 ? placed[0] : undefined;
  }
  said.push(...definitionsIn(tokens, all, carried, isSignificantAlone));
  return said;
}

/** Finds `X is a Y` if Y is not significant on its own and counts as a term only because of this sentence. */
function definitionsIn(
  tokens: readonly Token[],
  all: readonly Placed[],
  carried: Placed | undefined,
  isSolid: (subject: Subject) => boolean,
): StatementDraft[] {
  return all.flatMap((current, place) => {
    if (current.subject.kind !== 'term' || isSolid(current.subject)) return [];
    const before = all[place - 1];
    const isList = before?.subject.kind === 'term' && place > 1;
    const first =
      before === undefined
        ? carried
        : isList && AND.test(wordsOf(tokens.slice(before.spotted.to, current.spotted.from)))
          ? all[place - 2]
          : before;
    const from =
      before === undefined
        ? referenceLength(tokens, carried)
        : isList
          ? (all[place - 2]?.spotted.to ?? 0)
          : before.spotted.to;
    if (first === undefined) return [];
    const gap = tokens.slice(from, current.spotted.from);
    const own = isList && first !== before ? tokens.slice(from, before?.spotted.from) : gap;
    // `a close friend of` is a relation, not a kind.
    const isRelation = /^(?:of|to|with)$/.test(tokens[current.spotted.to]?.lower ?? '');
    if (isRelation || readGap(own)?.predicate !== 'is_a') return [];
    if (before !== undefined && isInPhrase(tokens, first)) return [];
    return [{ subject: first.subject, predicate: 'is_a', object: current.subject }].filter(fits);
  });
}

const isCityAndCountry = (first: Placed, second: Placed, gazetteer: Gazetteer): boolean =>
  gazetteer.get(second.spotted.text.toLowerCase()) === 'country' &&
  gazetteer.get(first.spotted.text.toLowerCase()) !== 'country' &&
  first.spotted.kind === 'name' &&
  (categoryOf(first.subject) === 'place' || categoryOf(first.subject) === null);

/** Whether the mention is inside a prepositional phrase: in `the mayor of Oslo met`, Oslo is not the verb's subject. */
function isInPhrase(tokens: readonly Token[], { spotted, subject }: Placed): boolean {
  let at = spotted.from - 1;
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
function besideEachOther(first: Placed, second: Placed, words: string): StatementDraft | undefined {
  const of = categoryOf(first.subject);
  const to = categoryOf(second.subject);
  const said = (predicate: string): StatementDraft => ({ subject: first.subject, predicate, object: second.subject });
  if (
    to === 'place' &&
    (of === 'place' ? /^(?:,|in|, in)$/ : of === 'organization' ? /^(?:in|of|, in)$/ : /^$/).test(words) &&
    words !== ''
  )
    return said('located_in');
  if (of === 'person' && to === 'organization' && /^(?:of|from|at)$/.test(words)) return said('works_for');
  return undefined;
}

/** Whether the categories of subject and object are plausible for the predicate. */
function fits({ subject, predicate, object }: StatementDraft): boolean {
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

const categoryOf = ({ votes, kind }: Subject): string | null => (kind === 'date' ? 'date' : decideCategory(votes));

const replaceSide = (said: StatementDraft, from: Subject, to: Subject): StatementDraft =>
  said.object === from ? { ...said, object: to } : { ...said, subject: said.subject === from ? to : said.subject };

const NOUN_OF_REFERENCE =
  /^(?:company|firm|group|organization|organisation|institute|university|bank|agency|party|ship|ferry|vessel|museum|city|town|island|river|book|novel|film|treaty|law|product|device|project|system)$/;

/** The antecedent of `She`, `It` or `The company` at the beginning of a sentence, if it is clear. */
function referredTo(tokens: readonly Token[], earlier: Placed | undefined): Placed | undefined {
  if (earlier === undefined || earlier.spotted.kind !== 'name') return undefined;
  const first = tokens[0]?.lower ?? '';
  const category = categoryOf(earlier.subject);
  if (first === 'he' || first === 'she') return category === 'person' ? earlier : undefined;
  if (first === 'it') return category !== 'person' && category !== 'date' ? earlier : undefined;
  return first === 'the' && NOUN_OF_REFERENCE.test(tokens[1]?.lower ?? '') && category !== 'person'
    ? earlier
    : undefined;
}

const referenceLength = (tokens: readonly Token[], carried: Placed | undefined): number =>
  carried === undefined ? 0 : tokens[0]?.lower === 'the' ? 2 : 1;

const MAX_PATTERN_LENGTH = 90;

function relateByPatterns(
  { tokens }: Sentence,
  placed: readonly Placed[],
  { language, gazetteer }: RelationContext,
): StatementDraft[] {
  const patterns = foreignPatterns[language] ?? [];
  const said: StatementDraft[] = [];
  for (const [place, first] of placed.entries()) {
    // A date may occur between the two.
    for (const second of placed.slice(place + 1, place + 3)) {
      const between = wordsOf(tokens.slice(first.spotted.to, second.spotted.from));
      if (between === ',' && isCityAndCountry(first, second, gazetteer)) {
        said.push({ subject: first.subject, predicate: 'located_in', object: second.subject });
        break;
      }
      if (between === '' || between.length > MAX_PATTERN_LENGTH) continue;
      const behind = wordsOf(tokens.slice(second.spotted.to, second.spotted.to + 6));
      const found = patterns.find((pattern) => pattern.between.test(between) && (pattern.behind?.test(behind) ?? true));
      if (found === undefined || first.spotted.kind === 'date' || second.spotted.kind === 'date') continue;
      const [subject, object] = found.isReversed ? [second.subject, first.subject] : [first.subject, second.subject];
      said.push(...[{ subject, predicate: found.predicate, object }].filter(fits));
      break;
    }
  }
  return said;
}

const wordsOf = (tokens: readonly Token[]): string => tokens.map(({ lower }) => lower).join(' ');
