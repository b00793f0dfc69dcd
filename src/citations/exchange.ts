import { PRONOUN } from './subjects.ts';
import { ARTICLE, type Token } from './tokens.ts';

/** Share of a statement's words that a sentence must have to be compared with it. */
const MIN_SHARE = 0.6;
/** Share of a sentence's words above which a statement tells the whole of it, in its own order. */
const MAX_PART = 0.75;

/**
 * Whether a statement has a word of one clause of a sentence in place of a word of another: "A has 7" for "A has 5 and B has 7".
 * The clause of such a word has others that the statement lacks (B), and the other words of the statement stand nearer to a
 * word that the statement lacks (5) and that stands in the same place. The subject of an earlier clause may be that of a later
 * one, too.
 */
export function isExchanged(statement: readonly Token[], sentence: readonly Token[]): boolean {
  const stated = termsOf(statement);
  const given = termsOf(sentence);
  const shared = stated.intersection(given).size;
  if (shared < stated.size * MIN_SHARE) return false;
  const isPart = shared <= given.size * MAX_PART;
  const read = readSentence(sentence, stated, pairsOf(statement));
  const { runs, sharedPlaces, hasOther, isOpening, beginsOtherwise, distance } = read;
  return runs.some((run) => {
    if (!run.isUnique || !hasOther(run)) return false;
    return runs.some((lacking) => {
      if (lacking.isStated || distance(run.start, lacking.start) === 0 || !isInPlaceOf(lacking, run, read))
        return false;
      const mayShareSubject = isPart && run.start < lacking.start;
      if (mayShareSubject && beginsOtherwise(run, lacking)) return true;
      const others = sharedPlaces.filter(
        (place) => (place < run.start || place >= run.end) && !(mayShareSubject && isOpening(place, run)),
      );
      const isNearer = (place: number) => Math.sign(distance(place, lacking.start) - distance(place, run.start));
      return others.some((place) => isNearer(place) < 0) && !others.some((place) => isNearer(place) > 0);
    });
  });
}

/**
 * Whether a sentence has another word in place of one of the statement: one that stands elsewhere in the source, or a number.
 */
export function isReplaced(
  statement: readonly Token[],
  sentence: readonly Token[],
  isElsewhere: (token: Token) => boolean,
): boolean {
  const [stated, given] = [termsOf(statement), termsOf(sentence)];
  if (stated.intersection(given).size < stated.size * MIN_SHARE) return false;
  const lackingPlaces = placesOf(sentence).filter((place) => !stated.has(sentence[place]?.term ?? ''));
  return placesOf(statement).some((at) => {
    const token = statement[at];
    if (token === undefined || given.has(token.term ?? '') || !(token.isNumber || isElsewhere(token))) return false;
    return lackingPlaces.some((place) => {
      const [one, other] = [frameOf(statement, at, at + 1), frameOf(sentence, place, place + 1)];
      const isPreceded = one.contentBefore !== undefined && one.contentBefore === other.contentBefore;
      return (
        one.isNumber === other.isNumber &&
        ((isSameBefore(one, other) && (isPreceded || one.after === other.after)) || isSameAfter(one, other))
      );
    });
  });
}

/** Words after an owner among which is what belongs to it: "the company's net revenue". */
const MAX_OWNED = 2;

/** Whether sentences have a word of the statement only as the owner of something that the statement lacks: "the mayor's wife". */
export function isOwnerOnly(statement: readonly Token[], sentences: readonly (readonly Token[])[]): boolean {
  const stated = termsOf(statement);
  return statement.some(({ term, isOwner }) => {
    if (term === undefined || isOwner) return false;
    const places = sentences.flatMap((sentence) =>
      placesOf(sentence).flatMap((place) => (sentence[place]?.term === term ? [{ sentence, place }] : [])),
    );
    return (
      places.length > 0 &&
      places.every(
        ({ sentence, place }) =>
          sentence[place]?.isOwner === true && termsOf(ownedBy(sentence, place)).isDisjointFrom(stated),
      )
    );
  });
}

function ownedBy(sentence: readonly Token[], owner: number): readonly Token[] {
  const after = sentence.slice(owner + 1, owner + 1 + MAX_OWNED);
  const end = after.findIndex(({ border }) => border > 0);
  return end < 0 ? after : after.slice(0, end);
}

const termsOf = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.flatMap(({ term }) => (term === undefined ? [] : [term])));

const placesOf = (tokens: readonly Token[]): number[] =>
  [...tokens.keys()].filter((place) => tokens[place]?.term !== undefined);

const pairOf = (one: Token | undefined, other: Token | undefined): string => `${one?.term} ${other?.term}`;
const pairsOf = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.map((token, place) => pairOf(tokens[place - 1], token)));

/** Content words that follow each other and stand together in the statement as well, or are both not in it. */
interface Run extends Frame {
  readonly start: number;
  readonly end: number;
  readonly isStated: boolean;
  /** Whether the statement has it, and the sentence has it once. */
  readonly isUnique: boolean;
}

function readSentence(sentence: readonly Token[], stated: ReadonlySet<string>, pairs: ReadonlySet<string>) {
  const times = new Map<string, number>();
  for (const { term = '' } of sentence) times.set(term, (times.get(term) ?? 0) + 1);
  const isStated = (place: number) => stated.has(sentence[place]?.term ?? '');
  const isUnique = (place: number) => isStated(place) && times.get(sentence[place]?.term ?? '') === 1;
  let clause = 0;
  const clauses = sentence.map(({ border }) => (clause += border));
  const distance = (one: number, other: number) => Math.abs((clauses[one] ?? 0) - (clauses[other] ?? 0));
  const places = placesOf(sentence);
  const first = new Map<number | undefined, number>();
  const firstLacking = new Map<number | undefined, number>();
  for (const place of places.toReversed()) {
    first.set(clauses[place], place);
    if (!isStated(place)) firstLacking.set(clauses[place], place);
  }
  const runs: Run[] = [];
  for (const start of places) {
    const last = runs.at(-1);
    const isTogether = isUnique(start)
      ? isUnique(start - 1) && pairs.has(pairOf(sentence[start - 1], sentence[start]))
      : !isStated(start) && !isStated(start - 1);
    const isNext = last?.end === start && sentence[start]?.border === 0 && isTogether;
    const from = isNext ? last.start : start;
    if (isNext) runs.pop();
    const [end, frame] = [start + 1, frameOf(sentence, from, start + 1)];
    runs.push({ ...frame, start: from, end, isStated: isStated(start), isUnique: isUnique(start) });
  }
  return {
    runs,
    distance,
    /** Words by which statement and sentence are compared. */
    sharedPlaces: places.filter(isUnique),
    /** Whether the clause has words that the statement lacks. */
    hasOther: ({ start }: Run) => firstLacking.has(clauses[start]),
    /**
     * Whether a word is at the beginning of the clause, before those that the statement lacks. Later clauses without a subject
     * are about it too: "the annex was designed by A and built by B".
     */
    isOpening(place: number, { start }: Run): boolean {
      return distance(place, start) === 0 && place < (firstLacking.get(clauses[start]) ?? 0);
    },
    /**
     * Whether the clause of one has something before it that the statement lacks, and the other's begins with a word of the
     * statement: "was rebuilt in 1911" for "burned down in 1911 and was rebuilt in 1920".
     */
    beginsOtherwise(one: Run, other: Run): boolean {
      const lacking = firstLacking.get(clauses[one.start]) ?? one.start;
      return lacking < one.start && isUnique(first.get(clauses[other.start]) ?? 0);
    },
    /** Whether the clauses of both have a word in common, except articles. */
    areAlike(one: Run, other: Run): boolean {
      const wordsOf = ({ start }: Run) =>
        sentence.filter(({ text }, place) => text !== ARTICLE && distance(place, start) === 0).map(({ text }) => text);
      return !new Set(wordsOf(one)).isDisjointFrom(new Set(wordsOf(other)));
    },
  };
}

type ReadSentence = ReturnType<typeof readSentence>;

function isInPlaceOf(lacking: Run, run: Run, { areAlike }: ReadSentence): boolean {
  if (lacking.isNumber !== run.isNumber || lacking.isPronoun) return false;
  const isBefore = lacking.before === run.before;
  return (
    isSameBefore(lacking, run) ||
    isSameAfter(lacking, run) ||
    (isBefore && lacking.after === run.after) ||
    (isBefore && run.before === BEGINNING && areAlike(lacking, run))
  );
}

/** The words around a run, as far as they are in its clause. */
interface Frame {
  readonly before: string;
  readonly after: string;
  /** Whether only words of the same kind are likely to follow the word before: "at the", but not "the". */
  readonly isBeforeClear: boolean;
  readonly isAfterClear: boolean;
  readonly contentBefore: string | undefined;
  readonly isNumber: boolean;
  readonly isPronoun: boolean;
}

const BEGINNING = '^';
const END = '$';
function frameOf(tokens: readonly Token[], start: number, end: number): Frame {
  const [first, next] = [tokens[start], tokens[end]];
  const isFirst = (place: number) => (tokens[place]?.border ?? 1) > 0;
  let from = start;
  while (!isFirst(from) && isDeterminer(tokens[from - 1])) from--;
  const begins = isFirst(from);
  const direct = tokens[from - 1];
  const isClear = !begins && (from === start || direct?.term === undefined);
  const isLast = next === undefined || next.border > 0;
  return {
    before: begins ? BEGINNING : isClear ? nameOf(direct) : ARTICLE,
    after: isLast ? END : nameOf(next),
    isBeforeClear: isClear,
    isAfterClear: !isLast && next.term !== undefined,
    contentBefore: contentBefore(tokens, start),
    isNumber: first?.isNumber === true,
    isPronoun: PRONOUN.test(first?.text ?? ''),
  };
}

function contentBefore(tokens: readonly Token[], start: number): string | undefined {
  for (let place = start; tokens[place]?.border === 0; place--) {
    const term = tokens[place - 1]?.term;
    if (term !== undefined) return term;
  }
  return undefined;
}

const isDeterminer = (token: Token | undefined): boolean => token?.text === ARTICLE || token?.isOwner === true;
const nameOf = (token: Token | undefined): string => token?.term ?? token?.text ?? BEGINNING;

const isSameBefore = (one: Frame, other: Frame): boolean => one.isBeforeClear && one.before === other.before;
const isSameAfter = (one: Frame, other: Frame): boolean => one.isAfterClear && one.after === other.after;
